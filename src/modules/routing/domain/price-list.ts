/** What a carrier asks for a segment to a prefix. */
export interface CostRow {
  /** digits; '' = every number that no other row is for */
  prefix: string;
  /** millionths of the currency */
  micros: number;
}

/** What a carrier asks, by the longest prefix of a number. */
export class PriceList {
  private readonly costs: ReadonlyMap<string, number>;
  /** of the prefixes, longest first */
  private readonly lengths: readonly number[];

  constructor(
    readonly currency: string,
    rows: readonly CostRow[],
  ) {
    this.costs = new Map(rows.map(({ prefix, micros }) => [prefix, micros]));
    this.lengths = [...new Set(rows.map(({ prefix }) => prefix.length))].sort((a, b) => b - a);
  }

  /** Millionths a segment; 0 for a number that no row is for. */
  microsFor(number: string): number {
    for (const length of this.lengths) {
      const micros = length > number.length ? undefined : this.costs.get(number.slice(0, length));
      if (micros !== undefined) return micros;
    }
    return 0;
  }
}
