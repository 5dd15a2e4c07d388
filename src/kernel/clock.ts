import { DateTime } from 'luxon';
import { readText } from './text.js';

/** The only source of the current time in the code. */
export const now = (): Date => new Date();

/** YYYYMMDD of an instant in a time zone (request ids, reference/engine#request-ids). */
export function compactDate(at: Date, zone: string): string {
  // Zone offsets change by whole minutes only, so all instants of one minute have the same date.
  const minute = Math.floor(at.getTime() / 60_000);
  const known = dates.get(zone);
  if (known?.minute === minute) return known.text;
  const text = DateTime.fromJSDate(at, { zone }).toFormat('yyyyLLdd');
  dates.set(zone, { minute, text });
  return text;
}

const dates = new Map<string, { minute: number; text: string }>();

/** YYYY-MM-DD in a time zone. */
export const isoDate = (at: Date, zone: string): string => DateTime.fromJSDate(at, { zone }).toFormat('yyyy-LL-dd');

/** HH:MM:SS in a time zone. */
export const clockTime = (at: Date, zone: string): string => DateTime.fromJSDate(at, { zone }).toFormat('HH:mm:ss');

/** YYYY-MM-DD HH:MM:SS in a time zone: the format of every printed time (reference/requests#dates). */
export const dateTime = (at: Date, zone: string): string =>
  DateTime.fromJSDate(at, { zone }).toFormat('yyyy-LL-dd HH:mm:ss');

/** Mon D, YYYY, HH:MM AM/PM in a time zone, the hour from 01 to 12 (reference/requests#dates). */
export const namedDateTime = (at: Date, zone: string): string =>
  DateTime.fromJSDate(at, { zone }).setLocale('en-US').toFormat('LLL d, yyyy, hh:mm a');

/** True for an IANA zone name that this runtime supports. */
export const isTimeZone = (zone: string): boolean => DateTime.local({ zone }).isValid;

const WIDEST_OFFSET_MINUTES = 14 * 60;

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** Clocks skip the local time, or show it twice. */
export type ClockChange = 'skipped' | 'repeated';

interface LocalInstants {
  /** ascending; both of a repeated hour; for a skipped time the first instant after the gap */
  at: readonly [number, ...number[]];
  change: ClockChange | null;
}

// `wall` is the local time, written as if it were UTC (reference/requests#schedule).
function instantsOf(wall: number, zone: string): LocalInstants {
  const { zone: rules } = DateTime.fromMillis(wall, { zone });
  const offsetAt = (at: number): number => rules.offset(at) * MINUTE_MS;
  const [before, after] = [offsetAt(wall - DAY_MS), offsetAt(wall + DAY_MS)];
  const [early, late] = [wall - Math.max(before, after), wall - Math.min(before, after)];
  const shown = [early, late].filter((at) => at + offsetAt(at) === wall);
  const [first, second] = shown;
  if (first === undefined) return { at: [changeBetween(early, late, offsetAt)], change: 'skipped' };
  return second === undefined || second === first
    ? { at: [first], change: null }
    : { at: [first, second], change: 'repeated' };
}

function changeBetween(early: number, late: number, offsetAt: (at: number) => number): number {
  const after = offsetAt(late);
  let [low, high] = [early, late];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetAt(middle) === after) high = middle;
    else low = middle;
  }
  return high;
}

function readInstants(text: string, zone: string): LocalInstants | null {
  const local = DateTime.fromFormat(text, 'yyyy-LL-dd HH:mm:ss', { zone: 'UTC' });
  if (local.isValid) return instantsOf(local.toMillis(), zone);
  const iso = DateTime.fromISO(text, { zone: 'UTC', setZone: true });
  const start = text.indexOf('T');
  if (!iso.isValid || start < 0 || Math.abs(iso.offset) > WIDEST_OFFSET_MINUTES) return null;
  const isInstant = /[Zz+[-]/.test(text.slice(start)); // an offset, or a zone name in brackets
  return isInstant ? { at: [iso.toMillis()], change: null } : instantsOf(iso.toMillis(), zone);
}

/**
 * Reads `YYYY-MM-DD HH:MM:SS` in the zone, or ISO 8601 (reference/requests#schedule); null for other text.
 * A skipped local time gives the first instant after the gap, a repeated one its earlier instant.
 */
export function readMoment(text: string, zone: string): Date | null {
  const read = readInstants(text, zone);
  return read && new Date(read.at[0]);
}

// A DATETIME column ends with the year 9999.
const LAST_MOMENT = Date.UTC(9999, 11, 30);
const EARLIEST = new Date(-8_640_000_000_000_000);

/** Reads `schedule_time` (reference/requests#schedule): null if empty, undefined if invalid or before `at`. */
export function readSchedule(value: unknown, zone: string, at: Date): Date | null | undefined {
  const read = readText(value);
  if (read.kind === 'empty') return null;
  const found = read.kind === 'text' ? readInstants(read.value.trim(), zone) : null;
  const moment = found?.at.find((instant) => instant >= at.getTime());
  return moment !== undefined && moment < LAST_MOMENT ? new Date(moment) : undefined;
}

/** Whether clocks skip or repeat the local time of a `schedule_time`; null = neither, or not a time. */
export function clockChangeOf(value: unknown, zone: string): ClockChange | null {
  const read = readText(value);
  return (read.kind === 'text' ? readInstants(read.value.trim(), zone)?.change : null) ?? null;
}

/** False for a `schedule_time` that is not a time in any zone; `readSchedule` also refuses past times. */
export const isSchedule = (value: unknown): boolean => readSchedule(value, 'UTC', EARLIEST) !== undefined;

/** An expiry: a bare date ends with that day (reference/authentication#login), any other time is exact. */
export const readExpiry = (text: string, zone: string): Date | null => readBound(text, zone, 'end');

/** One end of a time range: a bare date gives the start or the end of that day, any other time is exact. */
export function readBound(text: string, zone: string, edge: 'start' | 'end'): Date | null {
  const day = DateTime.fromFormat(text, 'yyyy-LL-dd', { zone: 'UTC' });
  if (!day.isValid) return readMoment(text, zone);
  const [start] = instantsOf(day.toMillis(), zone).at;
  return new Date(edge === 'start' ? start : instantsOf(day.plus({ days: 1 }).toMillis(), zone).at[0] - 1);
}

/** `dateTime` for many instants of one zone; formats each second only once. */
export function dateTimesOf(zone: string): (at: Date) => string {
  let second = Number.NaN;
  let text = '';
  return (at) => {
    const wanted = Math.floor(at.getTime() / 1000);
    if (wanted !== second) {
      second = wanted;
      text = dateTime(at, zone);
    }
    return text;
  };
}

/**
 * The next HH:MM:SS after `after` in the zone (v5 `schedule_time`, reference/requests#schedule); null for other text.
 * On a day that skips the time, the first instant after the gap.
 */
export function nextTimeOfDay(
  text: string,
  zone: string,
  after: Date,
): { at: Date; change: ClockChange | null } | null {
  const time = DateTime.fromFormat(text, 'HH:mm:ss', { zone: 'UTC' });
  if (time.toFormat('HH:mm:ss') !== text) return null; // luxon reads 24:00:00 as midnight
  const { year, month, day } = DateTime.fromJSDate(after, { zone });
  const today = DateTime.fromObject({ year, month, day }, { zone: 'UTC' });
  // Two days can be too few: a clock that is set back over midnight shows the same day twice.
  for (const days of [0, 1, 2]) {
    const wall = today.plus({ days }).set({ hour: time.hour, minute: time.minute, second: time.second }).toMillis();
    const { at, change } = instantsOf(wall, zone);
    const next = at.find((instant) => instant > after.getTime());
    if (next !== undefined) return { at: new Date(next), change };
  }
  return null;
}

/** ISO 8601 with the offset of the zone at that instant. */
export const isoTime = (at: Date, zone: string): string =>
  DateTime.fromJSDate(at, { zone }).toFormat("yyyy-LL-dd'T'HH:mm:ssZZ");

/** Milliseconds from `at` until a `Retry-After` (seconds or a date, RFC 9110 §10.2.3); 0 if past, null if invalid or absent. */
export function readRetryAfter(header: string | undefined, at: Date): number | null {
  if (header === undefined) return null;
  const ms = /^\s*\d+\s*$/.test(header) ? Number(header) * 1000 : Date.parse(header) - at.getTime();
  return Number.isFinite(ms) ? Math.max(ms, 0) : null;
}
