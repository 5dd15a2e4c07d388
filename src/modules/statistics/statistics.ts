import { type Figure, FIGURES } from '../traffic/index.js';

/** What a row is about: a route, an account, or a channel as a whole. */
export const SUBJECT_KINDS = { route: 'r', account: 'a', channel: 'c' } as const;

export type SubjectKind = (typeof SUBJECT_KINDS)[keyof typeof SUBJECT_KINDS];

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

/** What the API shows of counters (reference/admin#statistics). */
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

export const NO_FIGURES = Object.freeze(Object.fromEntries(FIGURES.map((figure) => [figure, 0]))) as Readonly<Sums>;

export function sumOf(points: readonly { figures: Sums }[]): Sums {
  const sum = { ...NO_FIGURES };
  for (const { figures } of points) for (const figure of FIGURES) sum[figure] += figures[figure];
  return sum;
}

/** Of what was sent and became final, how much arrived; null where nothing did. */
export function deliveryRate({ delivered, failed, expired, unanswered }: Sums): number | null {
  const final = delivered + failed + expired + unanswered;
  return final > 0 ? rounded(delivered / final, 4) : null;
}

/** @param hasCredits routes have costs of their own, and no credits */
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
