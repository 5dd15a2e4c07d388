/** Days that are looked through together; for an id as it came, part by part, newest first. Conditions on `m.sent_on`. */
export interface Span {
  days: string;
  parts: readonly string[];
}

/** What was sent from so many to so many days ago (UTC); today's with whatever a clock ahead has written. */
const sentAgo = (newest: number, oldest: number): string =>
  newest === 0
    ? `m.sent_on >= UTC_DATE() - INTERVAL ${oldest} DAY`
    : `m.sent_on BETWEEN UTC_DATE() - INTERVAL ${oldest} DAY AND UTC_DATE() - INTERVAL ${newest} DAY`;

/**
 * Today and yesterday, then the days before them until `oldest` days ago: one, two, four days at a time. Most receipts come on
 * the same day, and of a table far beyond the memory each day that an id is looked up in is a read of the disk.
 */
export function spansOf(oldest: number): Span[] {
  const parts: string[] = [];
  for (let newest = 2, days = 1; newest <= oldest; newest += days, days *= 2) {
    parts.push(sentAgo(newest, Math.min(oldest, newest + days - 1)));
  }
  return [
    { days: sentAgo(0, 1), parts: [sentAgo(0, 0), sentAgo(1, 1)] },
    { days: sentAgo(2, oldest), parts },
  ];
}
