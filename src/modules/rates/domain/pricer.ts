/** A row of a rate plan: what a segment to numbers that begin so costs on a channel. */
export interface Rate {
  channel: string;
  /** digits; '' = every number */
  prefix: string;
  creditsPerSegment: number;
}

/** Rows that a plan may have. */
export const MOST_ROWS_A_PLAN = 10_000;
export const MOST_CREDITS_A_SEGMENT = 1_000_000;

/** What a rate plan says of one channel. Asked for each recipient of a campaign of a million: one look a length of prefix. */
export class Pricer {
  private readonly byPrefix = new Map<string, number>();
  private readonly lengths: readonly number[];

  constructor(rates: readonly Omit<Rate, 'channel'>[]) {
    for (const { prefix, creditsPerSegment } of rates) this.byPrefix.set(prefix, creditsPerSegment);
    this.lengths = [...new Set(rates.map(({ prefix }) => prefix.length))].sort((a, b) => b - a);
  }

  /** Credits a segment by the longest prefix that the number has; null = the plan does not speak of it. */
  perSegment(number: string): number | null {
    for (const length of this.lengths) {
      const credits = this.byPrefix.get(number.slice(0, length));
      if (credits !== undefined) return credits;
    }
    return null;
  }
}
