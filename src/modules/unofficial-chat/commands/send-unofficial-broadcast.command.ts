import { Command } from '@nestjs/cqrs';
import type { AcceptedBroadcast, BroadcastSender } from '../../broadcasts/index.js';
import type { IdempotentRequest } from '../../idempotency/index.js';
import type { UnofficialBroadcast } from '../unofficial-broadcast.js';

/**
 * Accepts an unofficial broadcast that passed the error table: routed, charged to `bulk_chat_credits` at 1 a contact,
 * stored and handed to the engine in one transaction.
 * @throws AppError `unavailable` without a usable route (before the debit), `invalid` when the credits do not suffice
 */
export class SendUnofficialBroadcastCommand extends Command<AcceptedBroadcast> {
  constructor(
    readonly sender: BroadcastSender,
    readonly broadcast: UnofficialBroadcast,
    readonly idempotent: IdempotentRequest | null,
  ) {
    super();
  }
}
