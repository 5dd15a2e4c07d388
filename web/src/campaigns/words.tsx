/** Words that the pages of campaigns share. */
export const PHASES = [
  ['pending_approval', 'Pending approval'],
  ['scheduled', 'Scheduled'],
  ['accepted', 'Accepted'],
  ['running', 'Running'],
  ['paused', 'Paused'],
  ['completed', 'Completed'],
  ['cancelled', 'Cancelled'],
  ['failed', 'Failed'],
  ['rejected', 'Rejected'],
] as const;

export const CHANNELS = [
  ['sms', 'SMS'],
  ['unofficial', 'Unofficial chat'],
  ['template', 'Template'],
  ['branded', 'Branded template'],
  ['voice', 'Voice'],
] as const;

export const channelTitle = (name: string): string => CHANNELS.find(([known]) => known === name)?.[1] ?? name;

const ENDED: ReadonlySet<string> = new Set(['completed', 'cancelled', 'failed', 'rejected']);

/** No change leads away from it. */
export const isOver = (state: string): boolean => ENDED.has(state);

/** Statuses of recipients that have not left: what each channel calls them. */
const WAITING: readonly string[] = ['PP1', 'PENDING'];

/** A recipient of this status waits. */
export const hasNotLeft = (status: string): boolean => WAITING.includes(status);

/** How many recipients have left, or never will. */
export const gone = ({
  total_rows: total,
  status_counts: counts,
}: {
  total_rows: number;
  status_counts: Record<string, number>;
}): number => total - WAITING.reduce((sum, status) => sum + (counts[status] ?? 0), 0);

/** A moment that the API gives in the time zone of the campaign's account: `2026-11-21 10:30:05`. */
export function LocalTime({ value }: { value: string | null }) {
  if (value === null) return <span>–</span>;
  return (
    <time dateTime={value} title={`${value} in the time zone of the account`}>
      {value.slice(0, 16)}
    </time>
  );
}
