import { type LaneSnapshot, MOST_ROUTES_OF_A_CHAIN } from './lanes.js';
import type { Addressee, RecipientStatus } from './recipient.js';

export interface RetryPlan {
  retries: number;
  /** from the end of an attempt to the next */
  intervalMs: number;
}

export interface LastOutcome {
  status: RecipientStatus;
  errorCode: number | null;
  errorText: string | null;
}

export interface DueRecipient extends Addressee {
  lane: LaneSnapshot;
  seq: number;
  /** tries of this attempt, from 1; a temporary fault of the carrier causes another try */
  attempt: number;
  made?: number;
  /** outcome of the previous attempt; absent or null = none */
  last?: LastOutcome | null;
  /** an earlier copy may have been sent: only an accepting answer to this one is conclusive */
  inDoubt?: boolean;
}

export interface BegunAttempt {
  campaignId: number;
  seq: number;
  attempt: number;
  providerMessageId: string;
}

/** An attempt whose outcome the carrier has reported; a report may come twice. */
export interface EndedAttempt extends BegunAttempt {
  status: RecipientStatus;
  errorCode: number | null;
  errorText: string | null;
  /** seconds of talk; 0 = unanswered */
  durationSeconds: number;
}

/** Tries on temporary faults; then the carrier's own code and text become final. Throttling does not count. */
export const MAX_TRIES_A_ROUTE = 5;

/** Upper limit of tries of an attempt over all routes of its chain. */
export const MAX_TRIES = MAX_TRIES_A_ROUTE + MOST_ROUTES_OF_A_CHAIN;

/** Milliseconds until the next try: the carrier's request, else 1 s doubling to 60 s, with jitter. */
export const retryDelay = (attempt: number, askedMs: number): number =>
  Math.max(askedMs, Math.min(60_000, 1_000 * 2 ** Math.max(0, attempt - 1)) * (0.8 + Math.random() * 0.4));
