import { Query } from '@nestjs/cqrs';
import type { RecipientOutcome } from '../domain/recipient-outcome.js';

/** A campaign in which the number stands, and how it stands there. */
export interface RecipientHit extends RecipientOutcome {
  request_id: string;
  channel: string;
  broadcast_name: string;
  seq: number;
  receiver: string;
  attempts: number;
  created_at: string;
  updated_at: string;
}

/** One page of the hits. */
export interface RecipientHits {
  hits: RecipientHit[];
  total: number;
  /** `to` of the search that goes on where this one stopped; null = the whole time was looked at */
  next: Date | null;
}

/**
 * Did this number get it? Looks through the account's campaigns of a time, newest first.
 * @throws AppError too_many while too many searches run
 */
export class FindRecipients extends Query<RecipientHits> {
  /** @param receiver digits */
  constructor(
    readonly account: { id: number; timeZone: string },
    readonly receiver: string,
    readonly from: Date,
    readonly to: Date,
    readonly page: number,
    readonly limit: number,
  ) {
    super();
  }
}
