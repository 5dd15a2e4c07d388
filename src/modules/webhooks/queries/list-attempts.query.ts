import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { Account } from '../../accounts/index.js';
import { attemptData, type AttemptData } from '../http/webhook.dto.js';
import { EndpointStore } from '../persistence/endpoint-store.js';
import { EventStore } from '../persistence/event-store.js';
import { webhookErrors } from '../webhooks.errors.js';

/** The log of an endpoint, newest first. @throws AppError not_found */
export class ListAttemptsQuery extends Query<{ attempts: AttemptData[]; total: number }> {
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

  async execute(query: ListAttemptsQuery): Promise<{ attempts: AttemptData[]; total: number }> {
    const { account, webhookId, page, limit } = query;
    if (!(await this.endpoints.find(account.id, webhookId))) throw webhookErrors.notFound();
    const [rows, total] = await this.events.attempts(webhookId, page, limit);
    return { attempts: rows.map((row) => attemptData(row, account.timeZone)), total };
  }
}
