import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { EndpointStore } from '../persistence/endpoint-store.js';
import { type WebhookView, webhookView } from '../webhook.view.js';
import { webhookErrors } from '../webhooks.errors.js';
import { GetWebhookQuery } from './get-webhook.query.js';

@QueryHandler(GetWebhookQuery)
export class GetWebhookHandler implements IQueryHandler<GetWebhookQuery> {
  constructor(private readonly endpoints: EndpointStore) {}

  async execute({ account, id }: GetWebhookQuery): Promise<WebhookView> {
    const row = await this.endpoints.find(account.id, id);
    if (!row) throw webhookErrors.notFound();
    return webhookView(row, account.timeZone);
  }
}
