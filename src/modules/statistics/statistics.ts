import { type Figure, FIGURES } from '../traffic/index.js';

export const SUBJECT_KINDS = { route: 'r', account: 'a', channel: 'c' } as const;

export type SubjectKind = (typeof SUBJECT_KINDS)[keyof typeof SUBJECT_KINDS];

export const RANGES = ['hour', 'day', 'month'] as const;
export type Range = (typeof RANGES)[number];

export type Group = keyof typeof SUBJECT_KINDS;
export const GROUPS = Object.keys(SUBJECT_KINDS) as Group[];
export const OWN_GROUPS = ['channel'] as const;

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const MINUTES_KEPT_MS = 2 * DAY_MS;

const TERMS: Record<Range, { spanMs: number; stepMs: number }> = {
  hour: { spanMs: HOUR_MS, stepMs: MINUTE_MS },
  day: { spanMs: DAY_MS, stepMs: 5 * MINUTE_MS },
  month: { spanMs: 30 * DAY_MS, stepMs: HOUR_MS },
};

export interface Span {
  from: Date;
  to: Date;
  stepMs: number;
  table: 'traffic_minutes' | 'traffic_hours';
}

/** Steps of a range that ends with the step of `to`; by the hour where minutes are no longer stored. */
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

export interface ShownFigures {
  sent: number;
  delivered: number;
  failed: number;
  refused: number;
  expired: number;
  unanswered: number;
  unknown: number;
  receipts: number;
  delivery_rate: number | null;
  delay_seconds: number | null;
  credits: number | null;
}

type Sums = Record<Figure, number>;

const NO_FIGURES = Object.freeze(Object.fromEntries(FIGURES.map((figure) => [figure, 0]))) as Readonly<Sums>;

export function sumOf(points: readonly { figures: Sums }[]): Sums {
  const sum = { ...NO_FIGURES };
  for (const { figures } of points) for (const figure of FIGURES) sum[figure] += figures[figure];
  return sum;
}

/** Share of final outcomes that were delivered; null without any. */
export function deliveryRate({ delivered, failed, expired, unanswered }: Sums): number | null {
  const final = delivered + failed + expired + unanswered;
  return final > 0 ? rounded(delivered / final, 4) : null;
}

/** @param hasCredits false for routes, which have costs instead */
export const figuresOf = (sums: Sums, hasCredits = false): ShownFigures => ({
  sent: sums.sent,
  delivered: sums.delivered,
  failed: sums.failed,
  refused: sums.refused,
  expired: sums.expired,
  unanswered: sums.unanswered,
  unknown: sums.unknown,
  receipts: sums.receipts,
  delivery_rate: deliveryRate(sums),
  delay_seconds: sums.timed > 0 ? rounded(sums.delayMs / sums.timed / 1000, 3) : null,
  credits: hasCredits ? sums.charged - sums.refunded : null,
});

const rounded = (value: number, places: number): number => Number(value.toFixed(places));
