import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { Account } from '../../accounts/index.js';
import { EndpointStore } from '../persistence/endpoint-store.js';
import { type WebhookView, webhookView } from '../webhook.view.js';
import { webhookErrors } from '../webhooks.errors.js';

/** @throws AppError not_found */
export class GetWebhookQuery extends Query<WebhookView> {
  constructor(
    readonly account: Account,
    readonly id: number,
  ) {
    super();
  }
}

@QueryHandler(GetWebhookQuery)
export class GetWebhookHandler implements IQueryHandler<GetWebhookQuery> {
  constructor(private readonly endpoints: EndpointStore) {}

  async execute({ account, id }: GetWebhookQuery): Promise<WebhookView> {
    const row = await this.endpoints.find(account.id, id);
    if (!row) throw webhookErrors.notFound();
    return webhookView(row, account.timeZone);
  }
}
