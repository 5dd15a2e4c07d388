import { Command } from '@nestjs/cqrs';
import type { Account } from '../../accounts/index.js';
import type { RawWebhook } from '../domain/webhook-form.js';
import type { WebhookView } from '../webhook.view.js';

/**
 * A new endpoint of the acting account. The answer and that of a rotation are the only places where the secret stands.
 * @throws AppError invalid for the body, conflict when the account has ten
 */
export class CreateWebhookCommand extends Command<WebhookView & { secret: string }> {
  constructor(
    readonly actor: Account,
    readonly body: RawWebhook,
  ) {
    super();
  }
}
