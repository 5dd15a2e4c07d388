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

/**
 * A moment a client wrote: `YYYY-MM-DD HH:MM:SS` in the account's zone, or ISO 8601 (reference/requests#schedule).
 * @returns the instant, or null when the text is neither
 */
export function readMoment(text: string, zone: string): Date | null {
  const local = DateTime.fromFormat(text, 'yyyy-LL-dd HH:mm:ss', { zone });
  if (local.isValid) return local.toJSDate();
  const iso = DateTime.fromISO(text, { zone, setZone: true });
  const isMoment = iso.isValid && text.includes('T') && Math.abs(iso.offset) <= WIDEST_OFFSET_MINUTES;
  return isMoment ? iso.toJSDate() : null;
}

/** A DATETIME column ends with the year 9999. */
const LAST_MOMENT = Date.UTC(9999, 11, 30);
const EARLIEST = new Date(-8_640_000_000_000_000);

/**
 * `schedule_time` of a request (reference/requests#schedule): every broadcast and campaign takes one.
 * @param zone IANA zone in which a time without an offset is meant
 * @param at the moment of the request: an earlier time is refused
 * @returns the instant, null when none was asked for, or `undefined` when the value is odd or past
 */
export function readSchedule(value: unknown, zone: string, at: Date): Date | null | undefined {
  const read = readText(value);
  if (read.kind === 'empty') return null;
  const moment = read.kind === 'text' ? readMoment(read.value.trim(), zone) : null;
  return moment && moment >= at && moment.getTime() < LAST_MOMENT ? moment : undefined;
}

/** False for a `schedule_time` that is no moment in any zone; whether a moment is past is judged by `readSchedule`. */
export const isSchedule = (value: unknown): boolean => readSchedule(value, 'UTC', EARLIEST) !== undefined;

/** A bare date of an expiry ends with that day (reference/authentication#login); a full moment stands as it is. */
export const readExpiry = (text: string, zone: string): Date | null => readBound(text, zone, 'end');

/** One end of a range of time: a bare date is the start or the end of that day; a full moment stands as it is. */
export function readBound(text: string, zone: string, edge: 'start' | 'end'): Date | null {
  const day = DateTime.fromFormat(text, 'yyyy-LL-dd', { zone });
  if (!day.isValid) return readMoment(text, zone);
  return (edge === 'start' ? day.startOf('day') : day.endOf('day')).toJSDate();
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
 * reference/requests#schedule).
 * @param text HH:MM:SS
 * @param after the moment it must come after
 * @returns null when the text is no time of day
 */
export function nextTimeOfDay(text: string, zone: string, after: Date): Date | null {
  const time = DateTime.fromFormat(text, 'HH:mm:ss', { zone });
  if (time.toFormat('HH:mm:ss') !== text) return null; // 24:00:00 would pass for midnight
  const { hour, minute, second } = time;
  const today = DateTime.fromJSDate(after, { zone }).set({ hour, minute, second, millisecond: 0 });
  return (today.toJSDate() > after ? today : today.plus({ days: 1 })).toJSDate();
}
