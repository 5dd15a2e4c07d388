import { Command } from '@nestjs/cqrs';
import type { Account } from '../../accounts/index.js';
import type { WebhookView } from '../webhook.view.js';

/** A new secret; the one before signs too for 24 h (decisions §8). @throws AppError not_found */
export class RotateSecretCommand extends Command<WebhookView & { secret: string }> {
  constructor(
    readonly actor: Account,
    readonly id: number,
  ) {
    super();
  }
}
