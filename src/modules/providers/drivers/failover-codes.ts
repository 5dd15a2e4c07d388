import { z } from 'zod';
import type { SendOutcome } from '../ports/message-driver.js';

type Rejected = Extract<SendOutcome, { kind: 'rejected' }>;

const MOST_CODES = 100;

/** `failover_codes` of upstreams whose codes are texts or numbers (reference/providers#failover-codes). */
export const failoverCodes = z
  .array(z.union([z.number().int(), z.string().min(1).max(64)]))
  .max(MOST_CODES)
  .default([]);

/** The same of SMPP: command statuses, decimal or hexadecimal. */
export const failoverStatuses = z
  .array(
    z.union([
      z.number().int().min(1).max(0xffff_ffff),
      z.string().regex(/^(0x[0-9a-f]{1,8}|[1-9][0-9]{0,9})$/i, 'must be a command status: 11 or "0x0B"'),
    ]),
  )
  .max(MOST_CODES)
  .default([]);

/**
 * An answer that says that the upstream did not take a message: another route may carry it where the code is one of those
 * that the route's config names. "Too fast" is no refusal.
 * @param codes what the answer calls it: an own code, a status
 */
export function orElsewhere(
  outcome: SendOutcome,
  named: readonly (string | number)[],
  codes: readonly (string | number | null)[],
): SendOutcome {
  const isNamed =
    named.length > 0 && named.some((code) => codes.some((said) => said !== null && `${said}` === `${code}`));
  if (!isNamed) return outcome;
  if (outcome.kind === 'rejected' && outcome.submitted) return { ...outcome, elsewhere: true };
  return outcome.kind === 'retry' && !outcome.throttled ? { ...outcome, elsewhere: true } : outcome;
}

/** Once a part of a message has been taken, or may have been, no other route may carry it. */
export function takenInPart(outcome: Rejected, taken: number): Rejected {
  const { elsewhere: _, ...rest } = outcome;
  return { ...rest, taken };
}
