/** What is counted of a minute, in the order of the columns (reference/admin#statistics). */
export const FIGURES = [
  'sent',
  'delivered',
  'failed',
  'refused',
  'expired',
  'unanswered',
  'unknown',
  'receipts',
  'timed',
  'delayMs',
  'within5s',
  'within30s',
  'within2m',
  'within10m',
  'charged',
  'refunded',
] as const;

export type Figure = (typeof FIGURES)[number];

/** Figures that are not 0. */
export type Counts = Partial<Record<Figure, number>>;

/** Bounds of the histogram of delays, ascending: a receipt counts in the first that holds it, and in none beyond the last. */
export const DELAY_BOUNDS: readonly { figure: Figure; ms: number }[] = [
  { figure: 'within5s', ms: 5_000 },
  { figure: 'within30s', ms: 30_000 },
  { figure: 'within2m', ms: 120_000 },
  { figure: 'within10m', ms: 600_000 },
];
