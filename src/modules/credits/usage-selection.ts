import { DateTime } from 'luxon';

/** UTC days YYYY-MM-DD, both inclusive. */
interface UsageRange {
  from: string;
  to: string;
}

export const MOST_DAYS = 366;
const DEFAULT_DAYS = 30;
const FORMAT = 'yyyy-LL-dd';

const utc = (day: string): DateTime => DateTime.fromFormat(day, FORMAT, { zone: 'UTC' });

/** Outside these years, computed days can exceed what both servers accept. */
const YEARS = { from: 1970, to: 9998 };

export function readDay(value: unknown): string | null {
  const day = typeof value === 'string' ? DateTime.fromFormat(value, FORMAT, { zone: 'UTC' }) : null;
  return day?.isValid && day.year >= YEARS.from && day.year <= YEARS.to ? day.toFormat(FORMAT) : null;
}

/** Returns the range with defaults: 30 days up to today. */
export function rangeOf(from: string | null, to: string | null, today: Date): UsageRange {
  const end = to ?? DateTime.fromJSDate(today, { zone: 'UTC' }).toFormat(FORMAT);
  return { from: from ?? shifted(end, 1 - DEFAULT_DAYS), to: end };
}

/** Below 1 if the range ends before it begins. */
export const daysOf = ({ from, to }: UsageRange): number => utc(to).diff(utc(from), 'days').days + 1;

export const shifted = (day: string, days: number): string => utc(day).plus({ days }).toFormat(FORMAT);

export const USAGE_GROUPS = ['day', 'channel', 'prefix', 'campaign', 'sender'] as const;
export const STAFF_USAGE_GROUPS = [...USAGE_GROUPS, 'account'] as const;

export type UsageGroup = (typeof STAFF_USAGE_GROUPS)[number];

export interface UsageSelection extends UsageRange {
  group: UsageGroup;
}
