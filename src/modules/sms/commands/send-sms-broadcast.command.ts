import { Command } from '@nestjs/cqrs';
import type { AcceptedBroadcast, BroadcastSender } from '../../broadcasts/index.js';
import type { IdempotentRequest } from '../../idempotency/index.js';
import type { SmsBroadcast } from '../sms-broadcast.js';

/**
 * Accepts an SMS broadcast that passed the error table: routed, charged to `gsm_credits`, stored and handed to the
 * engine in one transaction.
 * @throws AppError `unavailable` without a usable route (before the debit), `invalid` when the credits do not suffice,
 * `conflict` when a caller-supplied id belongs to another request
 */
export class SendSmsBroadcastCommand extends Command<AcceptedBroadcast> {
  constructor(
    readonly sender: BroadcastSender,
    readonly broadcast: SmsBroadcast,
    readonly idempotent: IdempotentRequest | null = null,
  ) {
    super();
  }
}
