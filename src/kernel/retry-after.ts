/**
 * `Retry-After` of an answer, in seconds or as a date (RFC 9110 §10.2.3).
 * @param at the moment of the answer
 * @returns milliseconds from then on, 0 for a date that is past; null when it says nothing
 */
export function readRetryAfter(header: string | undefined, at: Date): number | null {
  if (header === undefined) return null;
  const ms = /^\s*\d+\s*$/.test(header) ? Number(header) * 1000 : Date.parse(header) - at.getTime();
  return Number.isFinite(ms) ? Math.max(ms, 0) : null;
}
