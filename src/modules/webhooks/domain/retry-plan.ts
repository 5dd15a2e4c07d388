import { readRetryAfter } from '../../../kernel/retry-after.js';

/** Share of a wait that jitter adds at the most, so that what failed together is not tried together. */
const JITTER = 0.1;
const LONGEST_HOLD_MS = 24 * 3_600_000;

/**
 * When a delivery is tried next (reference/webhooks#tries).
 * @param delays waits before the first, second … try, milliseconds
 * @param tries made so far, the failed one counted
 * @param heldMs what the endpoint asked for by `Retry-After`, null = nothing; the longer wait counts, up to a day
 * @param chance from 0 to 1
 * @returns milliseconds from now; null = given up
 */
export function nextWait(
  delays: readonly number[],
  tries: number,
  heldMs: number | null,
  chance: number,
): number | null {
  const delay = delays[tries];
  if (delay === undefined) return null;
  return Math.round(Math.max(delay * (1 + JITTER * chance), Math.min(heldMs ?? 0, LONGEST_HOLD_MS)));
}

/** How long an endpoint asks by `Retry-After` to be left alone. @returns milliseconds, a day at the most; null = it does not ask */
export function holdOf(retryAfter: string | undefined, at: Date): number | null {
  const ms = readRetryAfter(retryAfter, at);
  return ms === null ? null : Math.min(ms, LONGEST_HOLD_MS);
}
