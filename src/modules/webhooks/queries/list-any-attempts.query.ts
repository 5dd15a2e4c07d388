import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Listed, type Page, shown } from '../../../kernel/lists.js';
import { attemptData, type AttemptData } from '../http/webhook.dto.js';
import { EndpointHealths } from '../persistence/endpoint-health.js';
import { EventStore } from '../persistence/event-store.js';
import { webhookErrors } from '../webhooks.errors.js';

/** The log of an endpoint of any account, newest first, for staff. @throws AppError not_found */
export class ListAnyAttemptsQuery extends Query<Listed<AttemptData>> {
  /** @param timeZone that of staff */
  constructor(
    readonly webhookId: number,
    readonly timeZone: string,
    readonly page: Page,
  ) {
    super();
  }
}

@QueryHandler(ListAnyAttemptsQuery)
export class ListAnyAttemptsHandler implements IQueryHandler<ListAnyAttemptsQuery> {
  constructor(
    private readonly endpoints: EndpointHealths,
    private readonly events: EventStore,
  ) {}

  async execute({ webhookId, timeZone, page }: ListAnyAttemptsQuery): Promise<Listed<AttemptData>> {
    if (!(await this.endpoints.find(webhookId))) throw webhookErrors.notFound();
    return shown(await this.events.attempts(webhookId, page), (row) => attemptData(row, timeZone));
  }
}
