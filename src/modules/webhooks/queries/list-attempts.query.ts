import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { dateTime } from '../../../kernel/clock.js';
import type { Account } from '../../accounts/index.js';
import { EndpointStore } from '../persistence/endpoint-store.js';
import { EventStore } from '../persistence/event-store.js';
import type { WebhookAttemptEntity } from '../persistence/webhook.entities.js';
import { webhookErrors } from '../webhooks.errors.js';

/** A try as its owner sees it (reference/webhooks#log). */
export interface AttemptView {
  event_id: string;
  type: string;
  /** counts from 1; replays count on */
  attempt: number;
  /** null = no answer */
  status_code: number | null;
  /** null = delivered; else what went wrong, with the first KB of the answer */
  error: string | null;
  duration_ms: number;
  created_at: string;
  /** null = delivered, or given up */
  next_attempt_at: string | null;
}

/** The log of an endpoint, newest first. @throws AppError not_found */
export class ListAttemptsQuery extends Query<{ attempts: AttemptView[]; total: number }> {
  constructor(
    readonly account: Account,
    readonly webhookId: number,
    readonly page: number,
    readonly limit: number,
  ) {
    super();
  }
}

@QueryHandler(ListAttemptsQuery)
export class ListAttemptsHandler implements IQueryHandler<ListAttemptsQuery> {
  constructor(
    private readonly endpoints: EndpointStore,
    private readonly events: EventStore,
  ) {}

  async execute(query: ListAttemptsQuery): Promise<{ attempts: AttemptView[]; total: number }> {
    const { account, webhookId, page, limit } = query;
    if (!(await this.endpoints.find(account.id, webhookId))) throw webhookErrors.notFound();
    const [rows, total] = await this.events.attempts(webhookId, page, limit);
    return { attempts: rows.map((row) => attemptView(row, account.timeZone)), total };
  }
}

const attemptView = (row: WebhookAttemptEntity, zone: string): AttemptView => ({
  event_id: row.eventId,
  type: row.type,
  attempt: row.attempt,
  status_code: row.statusCode,
  error: row.error !== null && row.answer !== '' ? `${row.error}: ${row.answer}` : row.error,
  duration_ms: row.durationMs,
  created_at: dateTime(row.createdAt, zone),
  next_attempt_at: row.nextAttemptAt && dateTime(row.nextAttemptAt, zone),
});
