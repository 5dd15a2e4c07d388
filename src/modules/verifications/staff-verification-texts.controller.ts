import { Body, Controller, Delete, Get, Param, Put } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiBody, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { fieldErrors } from '../../kernel/errors.js';
import { readText } from '../../kernel/text.js';
import { ApiErrors, DoneAnswer } from '../../platform/http/index.js';
import { type Actor, Admin, CurrentActor } from '../accounts/index.js';
import { LOCALE, TEXT_NAME } from './verification-request.js';
import { PutVerificationTextCommand, RemoveVerificationTextCommand } from './verification-texts.commands.js';
import { VerificationTextBody, VerificationTextsAnswer } from './verifications.dto.js';
import { isVerificationText, textErrors } from './verifications.errors.js';
import { ListVerificationTextsQuery } from './verifications.queries.js';

const NAME = { name: 'name', example: 'default' };
const LANGUAGE = { name: 'locale', example: 'en' };

/** The operator's texts of verifications, by name and locale (reference/verifications#texts). */
@ApiTags('Admin: verifications')
@Admin()
@Controller('v6/api/admin/verification-texts')
export class VerificationTextsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get()
  @ApiOperation({ summary: 'All texts, with those that are built in' })
  @ApiOkResponse({ type: VerificationTextsAnswer })
  async list(): Promise<VerificationTextsAnswer> {
    return { success: true, data: await this.queries.execute(new ListVerificationTextsQuery()) };
  }

  @Put(':name/:locale')
  @ApiParam(NAME)
  @ApiParam(LANGUAGE)
  @ApiOperation({ summary: 'Put a text', description: 'In place of the one of this name and locale.' })
  @ApiBody({ type: VerificationTextBody })
  @ApiOkResponse({ type: DoneAnswer })
  @ApiErrors(
    fieldErrors.invalid.shown('name').because('other than 1 to 32 of a-z 0-9 _ -; likewise locale'),
    textErrors.text,
    textErrors.tooMany,
  )
  async put(
    @Param('name') name: string,
    @Param('locale') locale: string,
    @Body() body: Record<string, unknown>,
    @CurrentActor() { account }: Actor,
  ): Promise<DoneAnswer> {
    if (!TEXT_NAME.test(name)) throw fieldErrors.invalid('name');
    if (!LOCALE.test(locale)) throw fieldErrors.invalid('locale');
    const read = readText(body['text']);
    if (read.kind !== 'text' || !isVerificationText(read.value)) throw textErrors.text();
    const text = { name, locale: locale.toLowerCase(), text: read.value };
    await this.commands.execute(new PutVerificationTextCommand(account, text));
    return { success: true, message: 'Verification text saved successfully' };
  }

  @Delete(':name/:locale')
  @ApiParam(NAME)
  @ApiParam(LANGUAGE)
  @ApiOperation({ summary: 'Remove a text', description: 'One that is built in comes back.' })
  @ApiOkResponse({ type: DoneAnswer })
  @ApiErrors(textErrors.notFound)
  async remove(
    @Param('name') name: string,
    @Param('locale') locale: string,
    @CurrentActor() { account }: Actor,
  ): Promise<DoneAnswer> {
    if (!TEXT_NAME.test(name) || !LOCALE.test(locale)) throw textErrors.notFound();
    await this.commands.execute(new RemoveVerificationTextCommand(account, name, locale.toLowerCase()));
    return { success: true, message: 'Verification text deleted successfully' };
  }
}
