import { Command } from '@nestjs/cqrs';
import type { SmsBroadcast } from '../domain/sms-broadcast.js';

/** Who pays, and in whose time zone the request id is dated. */
export interface SmsSender {
  accountId: number;
  timeZone: string;
}

/** What the sender is told (spec 4.3). */
export interface AcceptedSmsBroadcast {
  requestId: string;
  /** credits per contact times contacts */
  credits: number;
}

/**
 * Accepts an SMS broadcast that passed the error table: routed, charged to `gsm_credits`, stored and handed to the
 * engine in one transaction.
 * @throws AppError `unavailable` without a usable route (before the debit), `invalid` when the credits do not suffice,
 * `conflict` when a caller-supplied id belongs to another request
 */
export class SendSmsBroadcastCommand extends Command<AcceptedSmsBroadcast> {
  constructor(
    readonly sender: SmsSender,
    readonly broadcast: SmsBroadcast,
  ) {
    super();
  }
}
