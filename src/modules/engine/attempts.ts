import { type LaneSnapshot, MOST_ROUTES_OF_A_CHAIN } from './lanes.js';
import type { Addressee, RecipientStatus } from './recipient.js';

/** How often a recipient that was reached in vain is tried again (reference/voice#retries). */
export interface RetryPlan {
  /** further attempts after the first */
  retries: number;
  /** from the end of an attempt to the next, milliseconds */
  intervalMs: number;
}

/** The outcome of an attempt in vain: it stands when no other is made. */
export interface LastOutcome {
  status: RecipientStatus;
  errorCode: number | null;
  errorText: string | null;
}

/** A recipient to send to. */
export interface DueRecipient extends Addressee {
  /** of its lane */
  lane: LaneSnapshot;
  seq: number;
  /** tries of this attempt, which the carrier may put off with a temporary fault; counts from 1 */
  attempt: number;
  /** attempts made before this one; absent = none */
  made?: number;
  /** how the attempt before this one ended; absent or null = there was none */
  last?: LastOutcome | null;
  /** an earlier copy may have left: only an answer that takes this one says more */
  inDoubt?: boolean;
}

/** An attempt that the carrier has accepted. */
export interface BegunAttempt {
  campaignId: number;
  seq: number;
  /** counts from 1 */
  attempt: number;
  /** the carrier's id of this attempt */
  providerMessageId: string;
}

/** An attempt whose outcome the carrier has reported; a report may come twice. */
export interface EndedAttempt extends BegunAttempt {
  status: RecipientStatus;
  errorCode: number | null;
  errorText: string | null;
  /** seconds of talk, 0 without an answer */
  durationSeconds: number;
}

/** Temporary faults of the carrier: five tries, then the carrier's own number and text stand. Throttling does not count. */
export const MOST_ATTEMPTS = 5;

/** Tries of an attempt over all routes of its chain; none is made beyond them. */
export const MOST_TRIES = MOST_ATTEMPTS + MOST_ROUTES_OF_A_CHAIN;

/** Milliseconds until the next try: what the carrier asked for, else 1 s doubling to 60 s, with jitter. */
export const retryDelay = (attempt: number, askedMs: number): number =>
  Math.max(askedMs, Math.min(60_000, 1_000 * 2 ** Math.max(0, attempt - 1)) * (0.8 + Math.random() * 0.4));
