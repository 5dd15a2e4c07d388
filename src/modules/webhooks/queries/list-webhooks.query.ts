import { Query } from '@nestjs/cqrs';
import type { Account } from '../../accounts/index.js';
import type { WebhookView } from '../webhook.view.js';

/** The account's endpoints, oldest first. */
export class ListWebhooksQuery extends Query<{ webhooks: WebhookView[]; total: number }> {
  constructor(
    readonly account: Account,
    readonly page: number,
    readonly limit: number,
  ) {
    super();
  }
}
