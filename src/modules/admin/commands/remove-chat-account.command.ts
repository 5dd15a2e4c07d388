import { Command } from '@nestjs/cqrs';
import type { Account } from '../../accounts/index.js';
import type { ChatConnection } from '../../providers/index.js';

/**
 * Removes an account's chat connection.
 * @throws AppError 404 `Account not found`, `Chat account not found`; 409 `Chat account is used by unfinished campaigns`
 */
export class RemoveChatAccountCommand extends Command<void> {
  constructor(
    readonly actor: Account,
    readonly username: string,
    readonly connection: ChatConnection,
  ) {
    super();
  }
}
