import { Controller, Delete, Get, Param, Query } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiParam, ApiQuery, ApiTags } from '@nestjs/swagger';
import { readId } from '../../../kernel/ids.js';
import { textOrNull } from '../../../kernel/text.js';
import { ApiErrors, LIST_ERRORS, ListQuery, type Paged, paged, readListPage } from '../../../platform/http/index.js';
import { type Actor, Authenticated, CurrentActor } from '../../accounts/index.js';
import { CancelSessionMessageCommand } from '../commands/cancel-session-message.command.js';
import { FindSessionMessageQuery } from '../queries/find-session-message.query.js';
import { ListSessionMessagesQuery } from '../queries/list-session-messages.query.js';
import { sessionErrors } from '../session-messages.errors.js';
import {
  CancelledSessionMessageAnswer,
  SessionMessageAnswer,
  type SessionMessageData,
  SessionMessagePageAnswer,
} from './own-session-message.dto.js';

const MESSAGES = { name: 'session-messages', places: 'ids' } as const;

/** What became of an account's session messages, and of those that are still to leave. */
@ApiTags('Chat')
@Authenticated()
@Controller('v6/api/session-messages')
export class OwnSessionMessagesController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get()
  @ApiOperation({ summary: 'Own session messages of v5 and v6, the newest first' })
  @ApiQuery({ name: 'status', required: false, example: 'PENDING', description: 'Another word matches none' })
  @ApiQuery({
    name: 'scheduled',
    required: false,
    enum: ['true', 'false'],
    description: 'Those with a schedule_time, or those without; anything else: both',
  })
  @ListQuery()
  @ApiOkResponse({ type: SessionMessagePageAnswer })
  @ApiErrors(...LIST_ERRORS)
  async list(
    @Query() query: Record<string, unknown>,
    @CurrentActor() { account }: Actor,
  ): Promise<Paged<SessionMessageData>> {
    const page = readListPage(MESSAGES, query);
    const wanted = query['scheduled'];
    const scheduled = wanted === 'true' ? true : wanted === 'false' ? false : null;
    const list = new ListSessionMessagesQuery(account, { status: textOrNull(query['status']), scheduled }, page);
    return paged(MESSAGES, page, await this.queries.execute(list));
  }

  @Get(':id')
  @ApiParam({ name: 'id', type: Number, example: 374100212563968 })
  @ApiOperation({ summary: 'One session message; staff see those of all accounts' })
  @ApiOkResponse({ type: SessionMessageAnswer })
  @ApiErrors(sessionErrors.notFound)
  async show(@Param('id') text: string, @CurrentActor() actor: Actor): Promise<SessionMessageAnswer> {
    const id = readId(text);
    if (id === null) throw sessionErrors.notFound();
    return { success: true, data: await this.queries.execute(new FindSessionMessageQuery(actor, id)) };
  }

  @Delete(':id')
  @ApiParam({ name: 'id', type: Number, example: 374100212563968, description: '`messages[0].id` of its answer' })
  @ApiOperation({ summary: 'Cancel a scheduled session message that has not been sent yet' })
  @ApiOkResponse({ type: CancelledSessionMessageAnswer })
  @ApiErrors(sessionErrors.notFound, sessionErrors.already)
  async cancel(@Param('id') text: string, @CurrentActor() { account }: Actor): Promise<CancelledSessionMessageAnswer> {
    const id = readId(text);
    if (id === null) throw sessionErrors.notFound();
    await this.commands.execute(new CancelSessionMessageCommand(account, id));
    return { success: true, message: 'Message cancelled successfully' };
  }
}
