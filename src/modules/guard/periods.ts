import { compactDate, nextTimeOfDay, now } from '../../kernel/clock.js';
import { boundedCache } from '../../platform/concurrency/index.js';
import type { GuardKind, GuardPeriod, GuardTerms } from '../accounts/index.js';
import type { LimitCount } from './guard-counters.js';

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;

/** The word for a limit's period in an error. */
export const PERIOD_WORDS: Readonly<Record<string, string>> = Object.fromEntries(
  ['sms', 'chat', 'voice'].flatMap((kind) =>
    ['second', 'minute', 'day'].map((period) => [`${kind}.per_${period}`, period] as const),
  ),
);

/** The counts of a send that terms limit. @param day local day as YYYYMMDD */
export function limitsOf(
  kind: GuardKind,
  terms: GuardTerms,
  messages: number,
  credits: number,
  day: number,
): LimitCount[] {
  const ms = now().getTime();
  const buckets: Record<GuardPeriod, number> = {
    per_second: Math.floor(ms / SECOND_MS),
    per_minute: Math.floor(ms / MINUTE_MS),
    per_day: day,
  };
  const found: LimitCount[] = [];
  for (const period of Object.keys(buckets) as GuardPeriod[]) {
    const limit = terms.limits[kind][period];
    if (limit !== null) found.push({ name: `${kind}.${period}`, bucket: buckets[period], amount: messages, limit });
  }
  if (terms.credits_per_day !== null)
    found.push({ name: 'credits', bucket: day, amount: credits, limit: terms.credits_per_day });
  return found;
}

/** Seconds until the next minute of the clock. */
export const secondsOfMinuteLeft = (): number => 60 - (now().getTime() % MINUTE_MS) / SECOND_MS;

interface LocalDay {
  number: number;
  from: number;
  until: number;
}

const days = boundedCache<string, LocalDay>(1_000);

/** The day of a time zone as YYYYMMDD, and the seconds until the next. */
export function dayOf(zone: string, at: Date): { number: number; secondsLeft: number } {
  let day = days.get(zone);
  if (!day || at.getTime() >= day.until || at.getTime() < day.from) {
    const until = nextTimeOfDay('00:00:00', zone, at)?.at.getTime() ?? at.getTime() + 86_400_000;
    day = { number: Number(compactDate(at, zone)), from: at.getTime(), until };
    days.set(zone, day);
  }
  return { number: day.number, secondsLeft: (day.until - at.getTime()) / SECOND_MS };
}
