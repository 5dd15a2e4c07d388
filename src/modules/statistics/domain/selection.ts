import { SUBJECT_KINDS } from './subject-kinds.js';

export const RANGES = ['hour', 'day', 'month'] as const;
export type Range = (typeof RANGES)[number];

export type Group = keyof typeof SUBJECT_KINDS;
export const GROUPS = Object.keys(SUBJECT_KINDS) as Group[];
/** What the owner of an account may look at: its own figures, by channel. */
export const OWN_GROUPS = ['channel'] as const;

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Minutes are kept for two whole days. */
const MINUTES_KEPT_MS = 2 * DAY_MS;

const TERMS: Record<Range, { spanMs: number; stepMs: number }> = {
  hour: { spanMs: HOUR_MS, stepMs: MINUTE_MS },
  day: { spanMs: DAY_MS, stepMs: 5 * MINUTE_MS },
  month: { spanMs: 30 * DAY_MS, stepMs: HOUR_MS },
};

/** From when to when, and from what it is read. */
export interface Span {
  from: Date;
  to: Date;
  stepMs: number;
  table: 'traffic_minutes' | 'traffic_hours';
}

/** The steps of a range that ends with the one in which `to` lies; what is older than the minutes is read by the hour. */
export function spanOf(range: Range, to: Date, at: Date): Span {
  const { spanMs, stepMs: wanted } = TERMS[range];
  const isOld = to.getTime() - spanMs < at.getTime() - MINUTES_KEPT_MS;
  const stepMs = isOld ? HOUR_MS : wanted;
  const end = (Math.floor(to.getTime() / stepMs) + 1) * stepMs;
  return {
    from: new Date(end - Math.max(spanMs, stepMs)),
    to: new Date(end),
    stepMs,
    table: stepMs < HOUR_MS ? 'traffic_minutes' : 'traffic_hours',
  };
}
