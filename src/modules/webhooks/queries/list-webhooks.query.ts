import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { Account } from '../../accounts/index.js';
import { webhookData, type WebhookData } from '../http/webhook.dto.js';
import { EndpointStore } from '../persistence/endpoint-store.js';

/** The account's endpoints, oldest first. */
export class ListWebhooksQuery extends Query<{ webhooks: WebhookData[]; total: number }> {
  constructor(
    readonly account: Account,
    readonly page: number,
    readonly limit: number,
  ) {
    super();
  }
}

@QueryHandler(ListWebhooksQuery)
export class ListWebhooksHandler implements IQueryHandler<ListWebhooksQuery> {
  constructor(private readonly endpoints: EndpointStore) {}

  async execute({ account, page, limit }: ListWebhooksQuery): Promise<{ webhooks: WebhookData[]; total: number }> {
    const [rows, total] = await this.endpoints.ofAccount(account.id, page, limit);
    return { webhooks: rows.map((row) => webhookData(row, account.timeZone)), total };
  }
}
