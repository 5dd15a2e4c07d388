import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { EndpointStore } from '../persistence/endpoint-store.js';
import { type WebhookView, webhookView } from '../webhook.view.js';
import { ListWebhooksQuery } from './list-webhooks.query.js';

@QueryHandler(ListWebhooksQuery)
export class ListWebhooksHandler implements IQueryHandler<ListWebhooksQuery> {
  constructor(private readonly endpoints: EndpointStore) {}

  async execute({ account, page, limit }: ListWebhooksQuery): Promise<{ webhooks: WebhookView[]; total: number }> {
    const [rows, total] = await this.endpoints.ofAccount(account.id, page, limit);
    return { webhooks: rows.map((row) => webhookView(row, account.timeZone)), total };
  }
}
