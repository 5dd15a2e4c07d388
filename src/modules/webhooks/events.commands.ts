import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { now } from '../../kernel/clock.js';
import { inTransaction } from '../../platform/database/index.js';
import { type Account, AccountDirectory, AuditLog } from '../accounts/index.js';
import { TestAttempts } from './delivery/delivery-results.store.js';
import { WebhookSender } from './delivery/webhook-sender.js';
import { EndpointStore } from './endpoints.store.js';
import { exampleOf, testEventId } from './events.js';
import { EventStore } from './events.store.js';
import type { WebhookTestData } from './webhooks.dto.js';
import { webhookErrors, webhookTestErrors } from './webhooks.errors.js';

/** Replays an event under its `webhook-id` to the account's active subscribers; returns their number. Throws not_found. */
export class ReplayEventCommand extends Command<number> {
  constructor(
    readonly actor: Account,
    readonly eventId: string,
  ) {
    super();
  }
}

@CommandHandler(ReplayEventCommand)
export class ReplayEventHandler implements ICommandHandler<ReplayEventCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly events: EventStore,
    private readonly audit: AuditLog,
  ) {}

  async execute({ actor, eventId }: ReplayEventCommand): Promise<number> {
    const event = await this.events.find(actor.id, eventId);
    if (!event) throw webhookErrors.eventNotFound();
    return inTransaction(this.dataSource, async (tx) => {
      const webhooks = await this.events.replay(tx, event);
      const details = { event_id: eventId, type: event.type, webhooks };
      await this.audit.record(tx, { actor, action: 'webhook.replay', subject: actor.username, details });
      return webhooks;
    });
  }
}

/** Replays an event of any account, for staff; returns the number of endpoints. Throws AppError not_found. */
export class ReplayAnyEventCommand extends Command<number> {
  constructor(
    readonly actor: Account,
    readonly eventId: string,
  ) {
    super();
  }
}

@CommandHandler(ReplayAnyEventCommand)
export class ReplayAnyEventHandler implements ICommandHandler<ReplayAnyEventCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly events: EventStore,
    private readonly accounts: AccountDirectory,
    private readonly audit: AuditLog,
  ) {}

  async execute({ actor, eventId }: ReplayAnyEventCommand): Promise<number> {
    const event = await this.events.findAny(eventId);
    if (!event) throw webhookErrors.eventNotFound();
    const subject = (await this.accounts.byId(event.accountId))?.username ?? '';
    return inTransaction(this.dataSource, async (tx) => {
      const webhooks = await this.events.replay(tx, event);
      const details = { event_id: eventId, type: event.type, webhooks };
      await this.audit.record(tx, { actor, action: 'webhook.replay', subject, accountId: event.accountId, details });
      return webhooks;
    });
  }
}

/** Sends a signed test event, logged but never retried or counted (reference/webhooks#test). Throws not_found, invalid. */
export class TestWebhookCommand extends Command<WebhookTestData> {
  /** @param type not validated; undefined = the endpoint's first */
  constructor(
    readonly account: Account,
    readonly id: number,
    readonly type: unknown,
  ) {
    super();
  }
}

@CommandHandler(TestWebhookCommand)
export class TestWebhookHandler implements ICommandHandler<TestWebhookCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly audit: AuditLog,
    private readonly endpoints: EndpointStore,
    private readonly sender: WebhookSender,
    private readonly attempts: TestAttempts,
  ) {}

  async execute({ account, id, type: wanted }: TestWebhookCommand): Promise<WebhookTestData> {
    const row = await this.endpoints.find(account.id, id);
    if (!row) throw webhookErrors.notFound();
    const types = row.events.split(',');
    const type = wanted === undefined || wanted === null ? types[0] : types.find((known) => known === wanted);
    if (type === undefined) throw webhookTestErrors.type();
    const eventId = testEventId(now());
    const endpoint = { accountId: account.id, url: row.url, secrets: this.endpoints.secretsOf(row) };
    const attempt = await this.sender.attempt(
      endpoint,
      { eventId },
      JSON.stringify({ ...exampleOf(type), test: true }),
    );
    await this.attempts.log(id, eventId, type, attempt);
    const entry = { actor: account, action: 'webhook.test', subject: account.username, details: { id, type } };
    await inTransaction(this.dataSource, (tx) => this.audit.record(tx, entry));
    const { ok, statusCode, error, answer, durationMs } = attempt;
    return {
      event_id: eventId,
      type,
      delivered: ok,
      status_code: statusCode,
      error,
      answer,
      duration_ms: durationMs,
    };
  }
}
