import { Command } from '@nestjs/cqrs';
import type { IdempotentRequest } from '../../idempotency/index.js';
import type { V5Session } from '../domain/v5-session.js';

/** What stands, as JSON text, in the `message` of a v5 answer (spec 4.11, decisions §7). */
export interface V5Outcome {
  contacts: unknown;
  messages: unknown;
  meta: { api_status: 'stable'; version: string };
}

/**
 * Sends a v5 session message, or stores it until its `schedule_time`. The 24-hour window must be open now, and for a
 * scheduled one again when it leaves.
 * @throws AppError 400 `Ticket Expired`; 404, 500 and 502 as the v6 session message
 */
export class SendV5SessionCommand extends Command<V5Outcome> {
  constructor(
    readonly accountId: number,
    readonly session: V5Session,
    readonly idempotent: IdempotentRequest | null,
  ) {
    super();
  }
}
