/** What is known of how a campaign goes on. */
export interface SendingPace {
  /** recipients that have still to leave */
  unsent: number;
  /** messages a second that left lately; null = not seen for long enough */
  recent: number | null;
  /** messages a second since it might begin; null = none has left */
  average: number | null;
  /** messages a second that the routes let through; null = no limit */
  limit: number | null;
}

/**
 * Seconds until the last recipient has left: by what left lately, else by the whole time, and never quicker than the routes
 * let through. @returns null where nothing says how long
 */
export function secondsLeft({ unsent, recent, average, limit }: SendingPace): number | null {
  if (unsent === 0) return 0;
  const seen = recent ?? average;
  const pace = limit === null ? seen : Math.min(seen ?? limit, limit);
  return pace === null || pace <= 0 ? null : Math.ceil(unsent / pace);
}
