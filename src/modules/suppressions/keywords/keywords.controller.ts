import { Body, Controller, Delete, Get, Param, Put } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiBody, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { fieldErrors } from '../../../kernel/errors.js';
import { ApiErrors } from '../../../platform/http/index.js';
import { type Actor, Authenticated, CurrentActor, Needs } from '../../accounts/index.js';
import { PutKeywordCommand, RemoveKeywordCommand } from './keywords.commands.js';
import {
  KeywordAnswer,
  KeywordBody,
  keywordData,
  KeywordsAnswer,
  readKeyword,
  RemovedKeywordAnswer,
} from './keywords.dto.js';
import { keywordErrors } from './keywords.errors.js';
import { ListKeywordsQuery } from '../suppressions.queries.js';

/** Words to which an account reacts when a person sends them (reference/inbound-messages#keywords). */
@ApiTags('Inbound messages')
@Authenticated()
@Controller('v6/api/account/keywords')
export class KeywordsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get()
  @ApiOperation({ summary: 'Own keywords, by word' })
  @ApiOkResponse({ type: KeywordsAnswer })
  async list(@CurrentActor() { account }: Actor): Promise<KeywordsAnswer> {
    const keywords = await this.queries.execute(new ListKeywordsQuery(account.id));
    return { success: true, data: keywords.map((keyword) => keywordData(keyword, account.timeZone)) };
  }

  @Put()
  @Needs('manage')
  @ApiOperation({
    summary: 'Add or replace a keyword',
    description:
      '`suppress`: the word stops all messages to its sender, in any language; `reply`: it is answered; `event`: it is ' +
      'named in the event. A `reply` of STOP, START or HELP is the confirmation of all built-in words of its kind.',
  })
  @ApiBody({ type: KeywordBody })
  @ApiOkResponse({ type: KeywordAnswer })
  @ApiErrors(
    fieldErrors.required.shown('word'),
    keywordErrors.word,
    keywordErrors.action,
    keywordErrors.builtIn,
    keywordErrors.replyRequired,
    keywordErrors.reply,
    keywordErrors.tooMany,
  )
  async put(@Body() body: Record<string, unknown>, @CurrentActor() { account }: Actor): Promise<KeywordAnswer> {
    const keyword = await this.commands.execute(new PutKeywordCommand(account, readKeyword(body)));
    return { success: true, data: keywordData(keyword, account.timeZone) };
  }

  @Delete(':word')
  @Needs('manage')
  @ApiParam({ name: 'word', example: 'INFO' })
  @ApiOperation({ summary: 'Remove a keyword', description: 'A built-in word keeps its effect.' })
  @ApiOkResponse({ type: RemovedKeywordAnswer })
  @ApiErrors(keywordErrors.notFound)
  async remove(@Param('word') word: string, @CurrentActor() { account }: Actor): Promise<RemovedKeywordAnswer> {
    await this.commands.execute(new RemoveKeywordCommand(account, word));
    return { success: true, message: 'Keyword removed successfully' };
  }
}
