import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { Account } from '../../accounts/index.js';
import { webhookData, type WebhookData } from '../http/webhook.dto.js';
import { EndpointStore } from '../persistence/endpoint-store.js';
import { webhookErrors } from '../webhooks.errors.js';

/** @throws AppError not_found */
export class GetWebhookQuery extends Query<WebhookData> {
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

  async execute({ account, id }: GetWebhookQuery): Promise<WebhookData> {
    const row = await this.endpoints.find(account.id, id);
    if (!row) throw webhookErrors.notFound();
    return webhookData(row, account.timeZone);
  }
}
