import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiBody, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { ApiErrors, LIST_ERRORS, ListQuery, paged, type Paged, readListPage } from '../../platform/http/index.js';
import { RateLimited } from '../../platform/security/index.js';
import { accountErrors, type Actor, Authenticated, Confirmed, CurrentActor, Needs } from '../accounts/index.js';
import { ReplayEventCommand, TestWebhookCommand } from './events.commands.js';
import type { RawWebhook } from './webhook.js';
import {
  ChangeWebhookCommand,
  CreateWebhookCommand,
  RemoveWebhookCommand,
  RotateSecretCommand,
} from './webhooks.commands.js';
import {
  type AttemptData,
  AttemptPageAnswer,
  ChangedWebhookAnswer,
  readWebhookId,
  RemovedWebhookAnswer,
  replayAnswer,
  ReplayAnswer,
  SecretWebhookAnswer,
  WebhookAnswer,
  WebhookBody,
  WebhookChangesBody,
  type WebhookData,
  WebhookPageAnswer,
  WebhookTestAnswer,
  WebhookTestBody,
} from './webhooks.dto.js';
import { WEBHOOK_FIELD_ERRORS, webhookErrors, webhookFaults, webhookTestErrors } from './webhooks.errors.js';
import { GetWebhookQuery, ListAttemptsQuery, ListWebhooksQuery } from './webhooks.queries.js';

const ID = { name: 'id', type: Number, example: 3 };
const WEBHOOKS = { name: 'webhooks', positions: 'ids' } as const;
const ATTEMPTS = { name: 'attempts', positions: 'ids' } as const;

const KEY_AND_ALARMS = accountErrors.forbidden.because('by an API key, of a webhook that receives alarms');

/** An account's webhooks (reference/webhooks#own-routes). */
@ApiTags('Webhooks')
@Authenticated()
@Needs('webhooks')
@Controller('v6/api/webhooks')
export class WebhooksController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Post()
  @Confirmed()
  @ApiOperation({
    summary: 'Register a webhook',
    description: 'Deliveries are signed by the rules of Standard Webhooks. The secret stands in this answer only.',
  })
  @ApiBody({ type: WebhookBody })
  @ApiCreatedResponse({ type: SecretWebhookAnswer })
  @ApiErrors(...WEBHOOK_FIELD_ERRORS, webhookErrors.tooMany)
  async create(@Body() body: RawWebhook, @CurrentActor() { account }: Actor): Promise<SecretWebhookAnswer> {
    const data = await this.commands.execute(new CreateWebhookCommand(account, body));
    return { success: true, message: 'Webhook created successfully', data };
  }

  @Get()
  @Needs('read', 'webhooks')
  @ApiOperation({ summary: 'List webhooks, oldest first' })
  @ListQuery()
  @ApiOkResponse({ type: WebhookPageAnswer })
  @ApiErrors(...LIST_ERRORS)
  async list(@Query() query: Record<string, unknown>, @CurrentActor() { account }: Actor): Promise<Paged<WebhookData>> {
    const page = readListPage(WEBHOOKS, query);
    return paged(WEBHOOKS, page, await this.queries.execute(new ListWebhooksQuery(account, page)));
  }

  @Post('events/:event_id/replay')
  @HttpCode(200)
  @ApiParam({ name: 'event_id', example: 'evt_0193a2b4c5d6a1b2c3d4e5f607000000' })
  @ApiOperation({
    summary: 'Send an event again',
    description: 'To every active webhook that takes its type, under the same `webhook-id`; the tries begin anew.',
  })
  @ApiOkResponse({ type: ReplayAnswer })
  @ApiErrors(webhookErrors.eventNotFound)
  async replay(@Param('event_id') eventId: string, @CurrentActor() { account }: Actor): Promise<ReplayAnswer> {
    const webhooks = await this.commands.execute(new ReplayEventCommand(account, eventId));
    return replayAnswer(eventId, webhooks);
  }

  @Get(':id')
  @Needs('read', 'webhooks')
  @ApiParam(ID)
  @ApiOperation({ summary: 'One webhook' })
  @ApiOkResponse({ type: WebhookAnswer })
  @ApiErrors(webhookErrors.notFound)
  async find(@Param('id') id: string, @CurrentActor() { account }: Actor): Promise<WebhookAnswer> {
    return { success: true, data: await this.queries.execute(new GetWebhookQuery(account, readWebhookId(id))) };
  }

  @Patch(':id')
  @ApiParam(ID)
  @ApiOperation({ summary: 'Change a webhook, or revive a disabled one' })
  @ApiBody({ type: WebhookChangesBody })
  @ApiOkResponse({ type: ChangedWebhookAnswer })
  @ApiErrors(webhookErrors.notFound, ...WEBHOOK_FIELD_ERRORS, webhookFaults.statusUnknown, KEY_AND_ALARMS)
  async change(
    @Param('id') id: string,
    @Body() body: RawWebhook,
    @CurrentActor() { account }: Actor,
  ): Promise<ChangedWebhookAnswer> {
    const data = await this.commands.execute(new ChangeWebhookCommand(account, readWebhookId(id), body));
    return { success: true, message: 'Webhook updated successfully', data };
  }

  @Delete(':id')
  @ApiParam(ID)
  @ApiOperation({ summary: 'Delete a webhook' })
  @ApiOkResponse({ type: RemovedWebhookAnswer })
  @ApiErrors(webhookErrors.notFound, KEY_AND_ALARMS)
  async remove(@Param('id') id: string, @CurrentActor() { account }: Actor): Promise<RemovedWebhookAnswer> {
    await this.commands.execute(new RemoveWebhookCommand(account, readWebhookId(id)));
    return { success: true, message: 'Webhook deleted successfully' };
  }

  @Post(':id/rotate-secret')
  @Confirmed()
  @HttpCode(200)
  @ApiParam(ID)
  @ApiOperation({ summary: 'A new secret', description: 'For 24 hours the secret before it signs too.' })
  @ApiOkResponse({ type: SecretWebhookAnswer })
  @ApiErrors(webhookErrors.notFound, KEY_AND_ALARMS)
  async rotate(@Param('id') id: string, @CurrentActor() { account }: Actor): Promise<SecretWebhookAnswer> {
    const data = await this.commands.execute(new RotateSecretCommand(account, readWebhookId(id)));
    return { success: true, message: 'Webhook secret rotated successfully', data };
  }

  @Get(':id/attempts')
  @Needs('read', 'webhooks')
  @ApiParam(ID)
  @ListQuery()
  @ApiOperation({ summary: 'The tries of the last 30 days, newest first' })
  @ApiOkResponse({ type: AttemptPageAnswer })
  @ApiErrors(...LIST_ERRORS, webhookErrors.notFound)
  async attempts(
    @Param('id') id: string,
    @Query() query: Record<string, unknown>,
    @CurrentActor() { account }: Actor,
  ): Promise<Paged<AttemptData>> {
    const page = readListPage(ATTEMPTS, query);
    const list = new ListAttemptsQuery(account, readWebhookId(id), page);
    return paged(ATTEMPTS, page, await this.queries.execute(list));
  }
}

/** Test events (reference/webhooks#test). */
@ApiTags('Webhooks')
@Authenticated()
@Needs('webhooks')
@Controller('v6/api/webhooks')
export class WebhookTestsController {
  constructor(private readonly commands: CommandBus) {}

  @Post(':id/test')
  @HttpCode(200)
  @RateLimited('broadcast')
  @ApiParam({ name: 'id', type: Number, example: 3 })
  @ApiOperation({
    summary: 'Send a test event',
    description:
      'One event of a type of the webhook, signed as every event and marked `test: true`, sent at once; the answer says what the endpoint said. Never tried again, and never counted towards disabling.',
  })
  @ApiBody({ type: WebhookTestBody, required: false })
  @ApiOkResponse({ type: WebhookTestAnswer })
  @ApiErrors(webhookErrors.notFound, webhookTestErrors.type)
  async test(
    @Param('id') id: string,
    @Body() body: { type?: unknown },
    @CurrentActor() { account }: Actor,
  ): Promise<WebhookTestAnswer> {
    const data = await this.commands.execute(new TestWebhookCommand(account, readWebhookId(id), body.type));
    return { success: true, message: 'Test event sent', data };
  }
}
