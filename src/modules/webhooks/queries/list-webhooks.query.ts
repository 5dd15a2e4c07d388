import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Listed, type Page, partOf, shown } from '../../../kernel/lists.js';
import type { Account } from '../../accounts/index.js';
import { webhookData, type WebhookData } from '../http/webhook.dto.js';
import { EndpointStore } from '../persistence/endpoint-store.js';

/** The account's endpoints, oldest first. */
export class ListWebhooksQuery extends Query<Listed<WebhookData>> {
  constructor(
    readonly account: Account,
    readonly page: Page,
  ) {
    super();
  }
}

@QueryHandler(ListWebhooksQuery)
export class ListWebhooksHandler implements IQueryHandler<ListWebhooksQuery> {
  constructor(private readonly endpoints: EndpointStore) {}

  async execute({ account, page }: ListWebhooksQuery): Promise<Listed<WebhookData>> {
    const rows = await this.endpoints.ofAccount(account.id);
    return shown(
      partOf(rows, ({ id }) => id, page),
      (row) => webhookData(row, account.timeZone),
    );
  }
}
