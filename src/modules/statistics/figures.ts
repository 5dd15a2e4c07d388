import { type Figure, FIGURES } from '../traffic/index.js';

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
