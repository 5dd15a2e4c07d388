import { DateTime } from 'luxon';
import { readText } from './text.js';

/** The one place that asks for the time, so that a reader finds every dependency on it. */
export const now = (): Date => new Date();

/** YYYYMMDD of an instant in a time zone (request ids, reference/engine#request-ids). */
export function compactDate(at: Date, zone: string): string {
  // Clocks of a zone are moved by whole minutes only, so all moments of one minute have one date.
  const minute = Math.floor(at.getTime() / 60_000);
  const known = dates.get(zone);
  if (known?.minute === minute) return known.text;
  const text = DateTime.fromJSDate(at, { zone }).toFormat('yyyyLLdd');
  dates.set(zone, { minute, text });
  return text;
}

/** The last date that was formatted for a time zone; there are as many as accounts have different zones. */
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

/** True when the IANA name is one this runtime knows. */
export const isTimeZone = (zone: string): boolean => DateTime.local({ zone }).isValid;

/** No place on Earth is further from UTC. */
const WIDEST_OFFSET_MINUTES = 14 * 60;

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** What became of a local time where clocks were changed. */
export type ClockChange = 'skipped' | 'repeated';

/** The instants of a local time: one, or both of a repeated hour. */
interface LocalInstants {
  /** ascending; of a time that clocks skip, the first instant after the gap */
  at: readonly [number, ...number[]];
  change: ClockChange | null;
}

/**
 * The instants at which clocks of a zone show a local time (reference/requests#schedule).
 * @param wall the local time, written as if it were UTC
 */
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

/** The first instant with the offset of the later one. */
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

/** What a client wrote, before it is known which of its instants is meant. */
function readInstants(text: string, zone: string): LocalInstants | null {
  const local = DateTime.fromFormat(text, 'yyyy-LL-dd HH:mm:ss', { zone: 'UTC' });
  if (local.isValid) return instantsOf(local.toMillis(), zone);
  const iso = DateTime.fromISO(text, { zone: 'UTC', setZone: true });
  const start = text.indexOf('T');
  if (!iso.isValid || start < 0 || Math.abs(iso.offset) > WIDEST_OFFSET_MINUTES) return null;
  const isInstant = /[Zz+[-]/.test(text.slice(start)); // an offset, or the name of a zone in brackets
  return isInstant ? { at: [iso.toMillis()], change: null } : instantsOf(iso.toMillis(), zone);
}

/**
 * A moment a client wrote: `YYYY-MM-DD HH:MM:SS` in the account's zone, or ISO 8601 (reference/requests#schedule). A local
 * time that does not exist is the first instant after the gap, a repeated one its earlier instant.
 * @returns the instant, or null when the text is neither
 */
export function readMoment(text: string, zone: string): Date | null {
  const read = readInstants(text, zone);
  return read && new Date(read.at[0]);
}

/** A DATETIME column ends with the year 9999. */
const LAST_MOMENT = Date.UTC(9999, 11, 30);
const EARLIEST = new Date(-8_640_000_000_000_000);

/**
 * `schedule_time` of a request (reference/requests#schedule): every broadcast and campaign takes one. Of a repeated local time it
 * is the earlier instant that is still to come.
 * @param zone IANA zone in which a time without an offset is meant
 * @param at the moment of the request: an earlier time is refused
 * @returns the instant, null when none was asked for, or `undefined` when the value is odd or past
 */
export function readSchedule(value: unknown, zone: string, at: Date): Date | null | undefined {
  const read = readText(value);
  if (read.kind === 'empty') return null;
  const found = read.kind === 'text' ? readInstants(read.value.trim(), zone) : null;
  const moment = found?.at.find((instant) => instant >= at.getTime());
  return moment !== undefined && moment < LAST_MOMENT ? new Date(moment) : undefined;
}

/** Whether clocks skip the local time that a `schedule_time` names, or show it twice; null = neither, or it is no such text. */
export function clockChangeOf(value: unknown, zone: string): ClockChange | null {
  const read = readText(value);
  return (read.kind === 'text' ? readInstants(read.value.trim(), zone)?.change : null) ?? null;
}

/** False for a `schedule_time` that is no moment in any zone; whether a moment is past is judged by `readSchedule`. */
export const isSchedule = (value: unknown): boolean => readSchedule(value, 'UTC', EARLIEST) !== undefined;

/** A bare date of an expiry ends with that day (reference/authentication#login); a full moment stands as it is. */
export const readExpiry = (text: string, zone: string): Date | null => readBound(text, zone, 'end');

/** One end of a range of time: a bare date is the start or the end of that day; a full moment stands as it is. */
export function readBound(text: string, zone: string, edge: 'start' | 'end'): Date | null {
  const day = DateTime.fromFormat(text, 'yyyy-LL-dd', { zone: 'UTC' });
  if (!day.isValid) return readMoment(text, zone);
  const [start] = instantsOf(day.toMillis(), zone).at;
  return new Date(edge === 'start' ? start : instantsOf(day.plus({ days: 1 }).toMillis(), zone).at[0] - 1);
}

/** `dateTime` for many instants of one zone: those of one second are formatted once. */
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
 * The next moment at which clocks of a time zone show this time of day (v5 `schedule_time`,
 * reference/requests#schedule); on a day that skips it, the first instant after the gap.
 * @param text HH:MM:SS
 * @param after the moment it must come after
 * @returns null when the text is no time of day
 */
export function nextTimeOfDay(
  text: string,
  zone: string,
  after: Date,
): { at: Date; change: ClockChange | null } | null {
  const time = DateTime.fromFormat(text, 'HH:mm:ss', { zone: 'UTC' });
  if (time.toFormat('HH:mm:ss') !== text) return null; // 24:00:00 would pass for midnight
  const { year, month, day } = DateTime.fromJSDate(after, { zone });
  const today = DateTime.fromObject({ year, month, day }, { zone: 'UTC' });
  // A clock that is put back over midnight shows a day for a second time.
  for (const days of [0, 1, 2]) {
    const wall = today.plus({ days }).set({ hour: time.hour, minute: time.minute, second: time.second }).toMillis();
    const { at, change } = instantsOf(wall, zone);
    const next = at.find((instant) => instant > after.getTime());
    if (next !== undefined) return { at: new Date(next), change };
  }
  return null;
}

/** ISO 8601 with the offset of the zone at that moment. */
export const isoTime = (at: Date, zone: string): string =>
  DateTime.fromJSDate(at, { zone }).toFormat("yyyy-LL-dd'T'HH:mm:ssZZ");

/**
 * `Retry-After` of an answer, in seconds or as a date (RFC 9110 §10.2.3).
 * @param at the moment of the answer
 * @returns milliseconds from then on, 0 for a date that is past; null when it says nothing
 */
export function readRetryAfter(header: string | undefined, at: Date): number | null {
  if (header === undefined) return null;
  const ms = /^\s*\d+\s*$/.test(header) ? Number(header) * 1000 : Date.parse(header) - at.getTime();
  return Number.isFinite(ms) ? Math.max(ms, 0) : null;
}
