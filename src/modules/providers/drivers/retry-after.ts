const SHORTEST_MS = 1_000;
const LONGEST_MS = 3_600_000;

/** `Retry-After` in seconds or as a date, from a second to an hour; a second when it says nothing. */
export function retryAfterMs(header: string | undefined): number {
  if (header === undefined) return SHORTEST_MS;
  const ms = /^\s*\d+\s*$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isFinite(ms) ? Math.min(Math.max(ms, SHORTEST_MS), LONGEST_MS) : SHORTEST_MS;
}
