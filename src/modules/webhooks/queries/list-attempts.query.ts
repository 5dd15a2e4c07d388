import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Listed, type Page, shown } from '../../../kernel/lists.js';
import type { Account } from '../../accounts/index.js';
import { attemptData, type AttemptData } from '../http/webhook.dto.js';
import { EndpointStore } from '../persistence/endpoint-store.js';
import { EventStore } from '../persistence/event-store.js';
import { webhookErrors } from '../webhooks.errors.js';

/** The log of an endpoint, newest first. @throws AppError not_found */
export class ListAttemptsQuery extends Query<Listed<AttemptData>> {
  constructor(
    readonly account: Account,
    readonly webhookId: number,
    readonly page: Page,
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

  async execute({ account, webhookId, page }: ListAttemptsQuery): Promise<Listed<AttemptData>> {
    if (!(await this.endpoints.find(account.id, webhookId))) throw webhookErrors.notFound();
    return shown(await this.events.attempts(webhookId, page), (row) => attemptData(row, account.timeZone));
  }
}
