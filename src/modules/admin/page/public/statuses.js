/** The words of all channels, gathered into what an operator wants to tell apart; in the order in which they are shown. */
export const GROUPS = [
  { key: 'delivered', title: 'Delivered', words: ['DELIVERED', 'READ', 'ANSWERED'] },
  { key: 'sent', title: 'Sent', words: ['SENT', 'INITIATED'] },
  { key: 'missed', title: 'Not reached', words: ['NO_ANSWER', 'BUSY'] },
  { key: 'failed', title: 'Failed', words: ['FAILED'] },
  { key: 'cancelled', title: 'Cancelled', words: ['CANCELLED'] },
  { key: 'waiting', title: 'Waiting', words: ['PP1', 'PENDING'] },
];

const GROUP_OF = new Map(GROUPS.flatMap(({ key, words }) => words.map((word) => [word, key])));
const OPEN = new Set(['waiting', 'sent']);

/** status_counts of campaigns → recipients of each group; unknown words wait. */
export function grouped(campaigns) {
  const sums = Object.fromEntries(GROUPS.map(({ key }) => [key, 0]));
  for (const { status_counts: counts } of campaigns) {
    for (const [word, count] of Object.entries(counts)) sums[GROUP_OF.get(word) ?? 'waiting'] += count;
  }
  return sums;
}

/** Recipients that nothing more happens to. */
export const finalOf = (sums) => GROUPS.reduce((sum, { key }) => sum + (OPEN.has(key) ? 0 : sums[key]), 0);

/** In the order in which they are shown: what moves, what was stopped, what waits for its time. */
export const LIVE_STATES = ['running', 'paused', 'accepted'];
