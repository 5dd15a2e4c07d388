import { Command } from '@nestjs/cqrs';
import type { Account } from '../../accounts/index.js';

/** It gets nothing any more. @throws AppError not_found */
export class RemoveWebhookCommand extends Command<void> {
  constructor(
    readonly actor: Account,
    readonly id: number,
  ) {
    super();
  }
}
