import { Controller, Delete, Get, Param, Query } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiParam, ApiQuery, ApiTags } from '@nestjs/swagger';
import { readId } from '../../../kernel/ids.js';
import { textOrNull } from '../../../kernel/text.js';
import { ApiErrors, paged, type Paged, readPage } from '../../../platform/http/index.js';
import { type Actor, Authenticated, CurrentActor } from '../../accounts/index.js';
import { CancelSessionMessageCommand } from '../commands/cancel-session-message.command.js';
import { ListSessionMessagesQuery } from '../queries/list-session-messages.query.js';
import { sessionErrors } from '../session-messages.errors.js';
import {
  CancelledSessionMessageAnswer,
  type SessionMessageData,
  SessionMessagePageAnswer,
} from './own-session-message.dto.js';

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
  @ApiQuery({ name: 'page', required: false, example: 1 })
  @ApiQuery({ name: 'limit', required: false, example: 50 })
  @ApiOkResponse({ type: SessionMessagePageAnswer })
  async list(
    @Query() query: Record<string, unknown>,
    @CurrentActor() { account }: Actor,
  ): Promise<Paged<SessionMessageData>> {
    const page = readPage(query);
    const wanted = query['scheduled'];
    const scheduled = wanted === 'true' ? true : wanted === 'false' ? false : null;
    const { messages, total } = await this.queries.execute(
      new ListSessionMessagesQuery(account, { status: textOrNull(query['status']), scheduled }, page.page, page.limit),
    );
    return paged(messages, page, total);
  }

  @Delete(':id')
  @ApiParam({ name: 'id', type: Number, example: 374100212563968, description: '`messages[0].id` of its answer' })
  @ApiOperation({ summary: 'Cancel a scheduled session message that has not been sent yet' })
  @ApiOkResponse({ type: CancelledSessionMessageAnswer })
  @ApiErrors(sessionErrors.notFound, sessionErrors.already)
  async cancel(@Param('id') text: string, @CurrentActor() { account }: Actor): Promise<CancelledSessionMessageAnswer> {
    const id = readId(text);
    if (id === null) throw sessionErrors.notFound();
    await this.commands.execute(new CancelSessionMessageCommand(account.id, id));
    return { success: true, message: 'Message cancelled successfully' };
  }
}
