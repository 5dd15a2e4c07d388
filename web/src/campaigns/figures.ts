/** What of a campaign an owner asks first, counted apart. */
export interface Figures {
  /** arrived: delivered, read, answered */
  delivered: number;
  /** the carrier has them, and has not said more */
  sent: number;
  /** rang without an answer */
  unanswered: number;
  waiting: number;
  /** without those of the stop list */
  failed: number;
  suppressed: number;
  cancelled: number;
  total: number;
}

interface Counted {
  total_rows: number;
  status_counts: Record<string, number>;
  failure_reasons: readonly { message: string | null; count: number }[];
}

const GROUPS = {
  delivered: ['DELIVERED', 'READ', 'ANSWERED'],
  sent: ['SENT', 'INITIATED'],
  unanswered: ['NO_ANSWER', 'BUSY'],
  waiting: ['PP1', 'PENDING'],
  cancelled: ['CANCELLED'],
} as const;

/** @returns the groups; they sum to `total` */
export function figuresOf({ total_rows: total, status_counts: counts, failure_reasons: reasons }: Counted): Figures {
  const sum = (statuses: readonly string[]): number => statuses.reduce((all, status) => all + (counts[status] ?? 0), 0);
  const listed = reasons.find(({ message }) => message === 'Suppressed')?.count ?? 0;
  const failed = counts['FAILED'] ?? 0;
  const suppressed = Math.min(listed, failed);
  return {
    delivered: sum(GROUPS.delivered),
    sent: sum(GROUPS.sent),
    unanswered: sum(GROUPS.unanswered),
    waiting: sum(GROUPS.waiting),
    failed: failed - suppressed,
    suppressed,
    cancelled: sum(GROUPS.cancelled),
    total,
  };
}

/** Of those that were sent: the share that was delivered; null = none was sent. */
export function deliveredShare({ delivered, total, waiting, suppressed, cancelled }: Figures): number | null {
  const left = total - waiting - suppressed - cancelled;
  return left <= 0 ? null : delivered / left;
}

export interface Segment {
  name: string;
  tone: 'good' | 'live' | 'waiting' | 'warn' | 'bad' | 'off';
  count: number;
  /** of 100 */
  from: number;
  width: number;
}

const SEGMENTS = [
  ['delivered', 'Delivered', 'good'],
  ['sent', 'Sent, no receipt yet', 'live'],
  ['unanswered', 'Not answered', 'warn'],
  ['waiting', 'Waiting', 'waiting'],
  ['failed', 'Failed', 'bad'],
  ['suppressed', 'On the stop list', 'off'],
  ['cancelled', 'Cancelled', 'off'],
] as const;

/** A stacked bar of 100: a group of anyone is at least 1 wide, so that it is seen. */
export function segmentsOf(figures: Figures): Segment[] {
  const there = SEGMENTS.filter(([name]) => figures[name] > 0);
  const widths = there.map(([name]) => Math.max(1, (figures[name] / figures.total) * 100));
  const scale = 100 / widths.reduce((sum, width) => sum + width, 0);
  let from = 0;
  return there.map(([name, title, tone], at) => {
    const width = (widths[at] ?? 0) * scale;
    const segment = { name: title, tone, count: figures[name], from, width };
    from += width;
    return segment;
  });
}
