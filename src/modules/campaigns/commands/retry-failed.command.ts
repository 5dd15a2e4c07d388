import { Command } from '@nestjs/cqrs';
import type { Actor } from '../../accounts/index.js';
import type { IdempotentRequest } from '../../idempotency/index.js';

/** The campaign that a retry made. */
export interface RetriedCampaign {
  request_id: string;
  retry_of: string;
  total_rows: number;
  /** charged, like a new send */
  credits: number;
}

/**
 * Sends again to the recipients of a campaign that failed: a campaign of its own (decisions §6), charged to the owner.
 * @throws AppError not_found `Campaign not found`; conflict `Campaign is already <state>` before it began, `Campaign has
 * no failed recipients`; unavailable without a route; invalid `Insufficient credits. …`
 */
export class RetryFailed extends Command<RetriedCampaign> {
  constructor(
    readonly actor: Actor,
    readonly requestId: string,
    readonly idempotent: IdempotentRequest | null,
  ) {
    super();
  }
}
