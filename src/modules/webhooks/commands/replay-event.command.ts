import { Command } from '@nestjs/cqrs';
import type { Account } from '../../accounts/index.js';

/**
 * Sends an event again to every active endpoint of the account that takes its type, under the same `webhook-id`.
 * @throws AppError not_found for an event that is unknown, another account's, or older than 30 days
 */
export class ReplayEventCommand extends Command<number> {
  constructor(
    readonly actor: Account,
    readonly eventId: string,
  ) {
    super();
  }
}
