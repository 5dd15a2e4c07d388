const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const LOCAL = /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d))?$/;

/** What clocks of a zone say at a moment, as if it were UTC, ms. */
function clockOf(at: number, timeZone: string): number {
  const parts = new Intl.DateTimeFormat('en-US', {
    ...{ timeZone, hourCycle: 'h23', year: 'numeric', month: '2-digit', day: '2-digit' },
    ...{ hour: '2-digit', minute: '2-digit', second: '2-digit' },
  }).formatToParts(at);
  const value = (type: string): number => Number(parts.find((part) => part.type === type)?.value ?? 0);
  return Date.UTC(value('year'), value('month') - 1, value('day'), value('hour'), value('minute'), value('second'));
}

/**
 * The moment that a field means, such as `2026-11-27T09:00`, in a time zone; null = it is no time. A time that clocks leave
 * out is the first one after the gap, one that they show twice the earlier: as the API reads it.
 */
export function momentIn(local: string, timeZone: string): Date | null {
  const match = LOCAL.exec(local);
  if (match === null) return null;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1)
    .map((part) => Number(part || 0));
  const wanted = Date.UTC(year, month - 1, day, hour, minute, second);
  const offsets = [...new Set([-DAY_MS, DAY_MS].map((shift) => clockOf(wanted + shift, timeZone) - (wanted + shift)))];
  const found = offsets.map((offset) => wanted - offset).filter((at) => clockOf(at, timeZone) === wanted);
  if (found.length > 0) return new Date(Math.min(...found));
  // in a gap: the change itself, to the minute
  let [before, after] = [wanted - DAY_MS, wanted + DAY_MS];
  while (after - before > MINUTE_MS) {
    const between = Math.floor((before + after) / 2 / MINUTE_MS) * MINUTE_MS;
    if (between <= before) break;
    if (clockOf(between, timeZone) < wanted) before = between;
    else after = between;
  }
  return new Date(after);
}

/** `in 23 h`, `in 5 min`, `in 3 days`; `now` for what is less than a minute ahead. */
function aheadOf(ms: number): string {
  if (ms < MINUTE_MS) return 'now';
  if (ms < HOUR_MS) return `in ${String(Math.floor(ms / MINUTE_MS))} min`;
  if (ms < 2 * DAY_MS) return `in ${String(Math.floor(ms / HOUR_MS))} h`;
  return `in ${String(Math.floor(ms / DAY_MS))} days`;
}

/** `Tomorrow, Fri 27 Nov 09:00 (Asia/Kolkata), in 23 h`. @param now ms */
export function momentWords(at: Date, timeZone: string, now = Date.now()): string {
  const day = (ms: number): number => Math.floor(clockOf(ms, timeZone) / DAY_MS);
  const days = day(at.getTime()) - day(now);
  const isSameYear =
    new Date(clockOf(at.getTime(), timeZone)).getUTCFullYear() === new Date(clockOf(now, timeZone)).getUTCFullYear();
  const parts = new Intl.DateTimeFormat('en-GB', {
    ...{ timeZone, weekday: 'short', day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' },
    ...(!isSameYear && { year: 'numeric' as const }),
  }).formatToParts(at);
  const value = (type: string): string => parts.find((part) => part.type === type)?.value ?? '';
  const date = [value('weekday'), value('day'), value('month'), value('year'), `${value('hour')}:${value('minute')}`];
  const text = date.filter((part) => part !== '').join(' ');
  const near = days === 0 ? 'Today, ' : days === 1 ? 'Tomorrow, ' : '';
  return `${near}${text} (${timeZone}), ${aheadOf(at.getTime() - now)}`;
}
