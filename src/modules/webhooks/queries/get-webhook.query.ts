import { Query } from '@nestjs/cqrs';
import type { Account } from '../../accounts/index.js';
import type { WebhookView } from '../webhook.view.js';

/** @throws AppError not_found */
export class GetWebhookQuery extends Query<WebhookView> {
  constructor(
    readonly account: Account,
    readonly id: number,
  ) {
    super();
  }
}
