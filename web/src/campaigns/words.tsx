import { StatusBadge } from '../ui/index.js';

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

/** Statuses of recipients for people; the words of the API are in the titles. */
const STATUS_WORDS: Readonly<Record<string, string>> = {
  PP1: 'Waiting for carrier',
  PENDING: 'Waiting for carrier',
  SENT: 'Sent',
  INITIATED: 'Calling',
  DELIVERED: 'Delivered',
  READ: 'Read',
  ANSWERED: 'Answered',
  NO_ANSWER: 'No answer',
  BUSY: 'Busy',
  FAILED: 'Failed',
  CANCELLED: 'Cancelled',
};

export const statusWord = (status: string): string => STATUS_WORDS[status] ?? status;

/** The status of a recipient, in a word for people. */
export const RecipientStatus = ({ status }: { status: string }) => (
  <span title={`${status} in the API`}>
    <StatusBadge status={status} text={statusWord(status)} />
  </span>
);

/** A recipient of this status waits. */
export const hasNotLeft = (status: string): boolean => WAITING.includes(status);

/** How many recipients were sent to: neither those that wait nor those that were cancelled before. */
export const gone = ({
  total_rows: total,
  status_counts: counts,
}: {
  total_rows: number;
  status_counts: Record<string, number>;
}): number => total - [...WAITING, 'CANCELLED'].reduce((sum, status) => sum + (counts[status] ?? 0), 0);

/** The minute of a moment as the API gives it, without the offset. */
const minuteOf = (value: string): string => value.slice(0, 16).replace('T', ' ');

/** A scheduled moment in a sentence: `2030-01-31 09:30 (UTC+05:30)`. */
export const momentText = (value: string): string => `${minuteOf(value)} (UTC${value.slice(19)})`;

/**
 * A moment as the API gives it: `2026-11-21 10:30:05`, or with the offset of the zone: `2030-01-31T09:30:00+05:30`.
 * @param zone the time zone that it is in; absent: that of the campaign's account
 */
export function LocalTime({ value, zone }: { value: string | null; zone?: string }) {
  if (value === null) return <span>–</span>;
  return (
    <time
      dateTime={value}
      title={zone === undefined ? `${value} in the time zone of the account` : `${value} (${zone})`}
    >
      {minuteOf(value)}
    </time>
  );
}

/** What a failure says about another send. */
export const REASON_WORDS = {
  temporary: 'temporary failure',
  not_today: 'daily limit reached',
  permanent: 'permanent failure',
  opt_out: 'opted out or on the stop list',
} as const;
