import { Command } from '@nestjs/cqrs';
import type { Account } from '../../accounts/index.js';
import type { RawWebhook } from '../domain/webhook-form.js';
import type { WebhookView } from '../webhook.view.js';

/**
 * Another URL, other events, another status; what is absent stays. `active` revives a disabled endpoint.
 * @throws AppError not_found, invalid
 */
export class ChangeWebhookCommand extends Command<WebhookView> {
  constructor(
    readonly actor: Account,
    readonly id: number,
    readonly changes: RawWebhook,
  ) {
    super();
  }
}
