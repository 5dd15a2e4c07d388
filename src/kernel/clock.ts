import { DateTime } from 'luxon';

/** The one place that asks for the time, so that a reader finds every dependency on it. */
export const now = (): Date => new Date();

/** YYYYMMDD of an instant in a time zone (request ids, spec 2.3). */
export const compactDate = (at: Date, zone: string): string => DateTime.fromJSDate(at, { zone }).toFormat('yyyyLLdd');

/** YYYY-MM-DD in a time zone. */
export const isoDate = (at: Date, zone: string): string => DateTime.fromJSDate(at, { zone }).toFormat('yyyy-LL-dd');

/** HH:MM:SS in a time zone. */
export const clockTime = (at: Date, zone: string): string => DateTime.fromJSDate(at, { zone }).toFormat('HH:mm:ss');

/** YYYY-MM-DD HH:MM:SS in a time zone: the spec's format for every stored time. */
export const dateTime = (at: Date, zone: string): string =>
  DateTime.fromJSDate(at, { zone }).toFormat('yyyy-LL-dd HH:mm:ss');

/** True when the IANA name is one this runtime knows. */
export const isTimeZone = (zone: string): boolean => DateTime.local({ zone }).isValid;

/**
 * A moment a client wrote: `YYYY-MM-DD HH:MM:SS` in the account's zone, or ISO 8601 (decisions §7).
 * @returns the instant, or null when the text is neither
 */
export function readMoment(text: string, zone: string): Date | null {
  const local = DateTime.fromFormat(text, 'yyyy-LL-dd HH:mm:ss', { zone });
  if (local.isValid) return local.toJSDate();
  const iso = DateTime.fromISO(text, { zone });
  return iso.isValid && /T/.test(text) ? iso.toJSDate() : null;
}

/** A bare date of an expiry ends with that day (decisions §4); a full moment stands as it is. */
export function readExpiry(text: string, zone: string): Date | null {
  const day = DateTime.fromFormat(text, 'yyyy-LL-dd', { zone });
  return day.isValid ? day.endOf('day').toJSDate() : readMoment(text, zone);
}
