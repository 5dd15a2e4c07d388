import { Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiParam, ApiQuery, ApiTags } from '@nestjs/swagger';
import { fieldErrors } from '../../kernel/errors.js';
import { textOrNull } from '../../kernel/text.js';
import { ApiErrors, LIST_ERRORS, ListQuery, paged, type Paged, readListPage } from '../../platform/http/index.js';
import { accountErrors, type Actor, Admin, CurrentActor } from '../accounts/index.js';
import { ReplayAnyEventCommand } from './events.commands.js';
import { WEBHOOK_STATUSES } from './webhook.js';
import {
  type AttemptData,
  AttemptPageAnswer,
  readWebhookId,
  replayAnswer,
  ReplayAnswer,
  StaffWebhookAnswer,
  type StaffWebhookData,
  StaffWebhookPageAnswer,
} from './webhooks.dto.js';
import { webhookErrors } from './webhooks.errors.js';
import {
  FindAnyWebhookQuery,
  ListAllWebhooksQuery,
  ListAnyAttemptsQuery,
  type WebhookFilter,
} from './webhooks.queries.js';

const ID = { name: 'id', type: Number, example: 3 };
const WEBHOOKS = { name: 'webhooks of accounts', positions: 'ids' } as const;
const ATTEMPTS = { name: 'attempts of accounts', positions: 'ids' } as const;
const UNKNOWN = webhookErrors.notFound.because('unknown, or deleted');

/** Webhooks of all accounts with their health, for staff. */
@ApiTags('Admin: webhooks')
@Admin()
@Controller('v6/api/admin/webhooks')
export class WebhooksAdminController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'Webhooks of all accounts with how they do, newest first',
    description: 'Tries of the last hour and day are counted to ten minutes.',
  })
  @ApiQuery({ name: 'username', required: false, example: 'jane.doe', description: 'Of this account alone' })
  @ApiQuery({ name: 'status', required: false, enum: [...WEBHOOK_STATUSES] })
  @ApiQuery({
    name: 'failing',
    required: false,
    enum: ['true'],
    description: 'Active ones without a success since their last failure; 10,000 are looked at, next_cursor goes on',
  })
  @ListQuery()
  @ApiOkResponse({ type: StaffWebhookPageAnswer })
  @ApiErrors(
    fieldErrors.noWord.shown('status', WEBHOOK_STATUSES).because('another word'),
    accountErrors.notFound.because('no such username'),
    ...LIST_ERRORS,
  )
  async list(
    @Query() query: Record<string, unknown>,
    @CurrentActor() { account }: Actor,
  ): Promise<Paged<StaffWebhookData>> {
    const filter = readFilter(query);
    const page = readListPage(WEBHOOKS, query);
    return paged(WEBHOOKS, page, await this.queries.execute(new ListAllWebhooksQuery(filter, account.timeZone, page)));
  }

  @Post('events/:event_id/replay')
  @HttpCode(200)
  @ApiParam({ name: 'event_id', example: 'evt_0193a2b4c5d6a1b2c3d4e5f607000000' })
  @ApiOperation({
    summary: 'Send an event of any account again',
    description: 'To every active webhook of its account that takes the type, under the same `webhook-id`.',
  })
  @ApiOkResponse({ type: ReplayAnswer })
  @ApiErrors(webhookErrors.eventNotFound.because('unknown, or older than 30 days'))
  async replay(@Param('event_id') eventId: string, @CurrentActor() { account }: Actor): Promise<ReplayAnswer> {
    const webhooks = await this.commands.execute(new ReplayAnyEventCommand(account, eventId));
    return replayAnswer(eventId, webhooks);
  }

  @Get(':id')
  @ApiParam(ID)
  @ApiOperation({ summary: 'One webhook of any account' })
  @ApiOkResponse({ type: StaffWebhookAnswer })
  @ApiErrors(UNKNOWN)
  async find(@Param('id') id: string, @CurrentActor() { account }: Actor): Promise<StaffWebhookAnswer> {
    const data = await this.queries.execute(new FindAnyWebhookQuery(readWebhookId(id), account.timeZone));
    return { success: true, data };
  }

  @Get(':id/attempts')
  @ApiParam(ID)
  @ListQuery()
  @ApiOperation({ summary: 'Its tries of the last 30 days, newest first' })
  @ApiOkResponse({ type: AttemptPageAnswer })
  @ApiErrors(...LIST_ERRORS, UNKNOWN)
  async attempts(
    @Param('id') id: string,
    @Query() query: Record<string, unknown>,
    @CurrentActor() { account }: Actor,
  ): Promise<Paged<AttemptData>> {
    const page = readListPage(ATTEMPTS, query);
    const list = new ListAnyAttemptsQuery(readWebhookId(id), account.timeZone, page);
    return paged(ATTEMPTS, page, await this.queries.execute(list));
  }
}

function readFilter(query: Record<string, unknown>): WebhookFilter {
  const status = textOrNull(query['status']);
  const word = WEBHOOK_STATUSES.find((known) => known === status) ?? null;
  if (status !== null && word === null) throw fieldErrors.noWord('status', WEBHOOK_STATUSES);
  return { username: textOrNull(query['username']), status: word, isFailing: query['failing'] === 'true' };
}
