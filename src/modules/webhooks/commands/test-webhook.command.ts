import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { now } from '../../../kernel/clock.js';
import { inTransaction } from '../../../platform/database/index.js';
import { type Account, AuditLog } from '../../accounts/index.js';
import { exampleOf } from '../domain/event-examples.js';
import { WebhookSender } from '../dispatch/webhook-sender.js';
import type { WebhookTestData } from '../http/webhook-test.dto.js';
import { EndpointStore } from '../persistence/endpoint-store.js';
import { testEventId } from '../persistence/event-id.js';
import { TestAttempts } from '../persistence/test-attempts.js';
import { webhookErrors, webhookTestErrors } from '../webhooks.errors.js';

/**
 * Sends one event of a type to an endpoint, now, signed as every event, and marked as a test. The endpoint's log has it;
 * nothing is tried again, and neither what fails nor a 410 counts towards disabling (reference/webhooks#test).
 * @throws AppError not_found; invalid for a type that the endpoint does not take
 */
export class TestWebhookCommand extends Command<WebhookTestData> {
  /** @param type as it came; undefined = the endpoint's first */
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
