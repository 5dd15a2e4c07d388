import { DateTime } from 'luxon';

/** Days (UTC), both of them counted in; YYYY-MM-DD. */
interface UsageRange {
  from: string;
  to: string;
}

/** Days that one answer may be about. */
export const MOST_DAYS = 366;
const DEFAULT_DAYS = 30;
const FORMAT = 'yyyy-LL-dd';

const utc = (day: string): DateTime => DateTime.fromFormat(day, FORMAT, { zone: 'UTC' });

/** Beyond these, days that are counted from a day would be none that both servers take. */
const YEARS = { from: 1970, to: 9998 };

/** A day, or null for what is none. */
export function readDay(value: unknown): string | null {
  const day = typeof value === 'string' ? DateTime.fromFormat(value, FORMAT, { zone: 'UTC' }) : null;
  return day?.isValid && day.year >= YEARS.from && day.year <= YEARS.to ? day.toFormat(FORMAT) : null;
}

/** The range that is meant where an end of it is not given: 30 days, up to today. @param today a moment of it */
export function rangeOf(from: string | null, to: string | null, today: Date): UsageRange {
  const end = to ?? DateTime.fromJSDate(today, { zone: 'UTC' }).toFormat(FORMAT);
  return { from: from ?? shifted(end, 1 - DEFAULT_DAYS), to: end };
}

/** Days of a range; below 1 where it ends before it begins. */
export const daysOf = ({ from, to }: UsageRange): number => utc(to).diff(utc(from), 'days').days + 1;

/** A day so many days later. */
export const shifted = (day: string, days: number): string => utc(day).plus({ days }).toFormat(FORMAT);

/** By what usage is told apart. */
export const USAGE_GROUPS = ['day', 'channel', 'prefix', 'campaign', 'sender'] as const;
/** The same for staff. */
export const STAFF_USAGE_GROUPS = [...USAGE_GROUPS, 'account'] as const;

export type UsageGroup = (typeof STAFF_USAGE_GROUPS)[number];

/** Which usage is asked for. */
export interface UsageSelection extends UsageRange {
  group: UsageGroup;
}
