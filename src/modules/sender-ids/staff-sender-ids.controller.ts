import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiBody, ApiOkResponse, ApiOperation, ApiParam, ApiQuery, ApiTags } from '@nestjs/swagger';
import { fieldErrors } from '../../kernel/errors.js';
import { ONE } from '../../kernel/lists.js';
import { codePoints, readWord, textOrNull } from '../../kernel/text.js';
import {
  ApiErrors,
  LIST_ERRORS,
  ListQuery,
  paged,
  type Paged,
  readListPage,
  REVISION_ERRORS,
} from '../../platform/http/index.js';
import { type Account, type Actor, Admin, CurrentActor } from '../accounts/index.js';
import { LONGEST_REASON, SENDER_STATUSES, type SenderMove } from './sender-id.js';
import { MoveSenderIdCommand } from './sender-ids.commands.js';
import {
  MovedSenderIdAnswer,
  readSenderRowId,
  type ReviewedSenderIdData,
  ReviewedSenderIdPageAnswer,
  SenderIdVerdict,
} from './sender-ids.dto.js';
import { senderIdErrors } from './sender-ids.errors.js';
import { ReviewSenderIdsQuery } from './sender-ids.queries.js';

/** Path and documentation of a decision. */
const Move =
  (move: SenderMove, summary: string): MethodDecorator =>
  (target, key, descriptor) => {
    for (const decorate of [
      Post(`:id/${move}`),
      HttpCode(200),
      ApiParam({ name: 'id', type: Number, example: 12 }),
      ApiOperation({ summary }),
      ApiBody({ type: SenderIdVerdict, required: false }),
      ApiOkResponse({ type: MovedSenderIdAnswer }),
      ApiErrors(
        fieldErrors.invalid.shown('reason').because('no text'),
        senderIdErrors.notFound.because('no such sender id'),
        senderIdErrors.reasonTooLong,
        senderIdErrors.wrongState,
        ...REVISION_ERRORS,
      ),
    ])
      decorate(target, key, descriptor);
  };

const SENDER_IDS = { name: 'sender-ids', positions: 'ids' } as const;

/** Staff's decisions on sender ids (reference/admin#sender-ids). */
@ApiTags('Admin: sender ids')
@Admin()
@Controller('v6/api/admin/sender-ids')
export class SenderIdsAdminController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get()
  @ApiOperation({ summary: 'Sender ids of all accounts, newest first' })
  @ApiQuery({ name: 'status', required: false, enum: [...SENDER_STATUSES], example: 'pending' })
  @ListQuery()
  @ApiOkResponse({ type: ReviewedSenderIdPageAnswer })
  @ApiErrors(senderIdErrors.unknownStatus, ...LIST_ERRORS)
  async list(
    @Query() query: Record<string, unknown>,
    @CurrentActor() { account }: Actor,
  ): Promise<Paged<ReviewedSenderIdData>> {
    const status = readWord(query['status'], SENDER_STATUSES, senderIdErrors.unknownStatus);
    const page = readListPage(SENDER_IDS, query);
    const list = new ReviewSenderIdsQuery(status && { status }, account.timeZone, page);
    return paged(SENDER_IDS, page, await this.queries.execute(list));
  }

  @Move('approve', 'Approve a pending sender id: it can be sent under')
  approve(@Param('id') id: string, @Body() body: SenderIdVerdict, @CurrentActor() { account }: Actor) {
    return this.move(account, id, 'approve', body);
  }

  @Move('reject', 'Reject a sender id that is pending, or was approved')
  reject(@Param('id') id: string, @Body() body: SenderIdVerdict, @CurrentActor() { account }: Actor) {
    return this.move(account, id, 'reject', body);
  }

  private async move(
    actor: Account,
    idText: string,
    move: SenderMove,
    body: SenderIdVerdict,
  ): Promise<MovedSenderIdAnswer> {
    const id = readSenderRowId(idText);
    const reason = textOrNull(body.reason);
    if (reason !== null && codePoints(reason) > LONGEST_REASON) throw senderIdErrors.reasonTooLong();
    await this.commands.execute(new MoveSenderIdCommand(actor, id, move, reason, body.revision ?? null));
    const { items } = await this.queries.execute(new ReviewSenderIdsQuery({ id }, actor.timeZone, ONE));
    const [data] = items;
    if (!data) throw senderIdErrors.notFound(); // deleted since
    return { success: true, data };
  }
}
