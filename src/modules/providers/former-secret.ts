import { now } from '../../kernel/clock.js';

/** What proved a callback before the secret was changed: taken a while longer, so that none is lost meanwhile. */
export interface FormerSecret {
  value: string;
  /** until when, milliseconds since 1970 */
  until: number;
}

/** How long a former secret is taken: 24 h (reference/providers#callbacks). */
export const FORMER_SECRET_MS = 24 * 3_600_000;

/**
 * What stays valid beside a changed secret.
 * @param change undefined keeps the secret, null clears it at once and what came before it too
 */
export function formerSecret(
  current: string | null | undefined,
  change: string | null | undefined,
  former: FormerSecret | null | undefined,
): FormerSecret | null {
  if (change === undefined || change === current) return former ?? null;
  return current && change !== null ? { value: current, until: now().getTime() + FORMER_SECRET_MS } : null;
}

/** The secrets that are taken at this moment, the current one first. */
export const takenSecrets = (current: string | null, former: FormerSecret | null | undefined): string[] => [
  ...(current === null ? [] : [current]),
  ...(former && former.until > now().getTime() ? [former.value] : []),
];
