const DECIMAL = /^(\d{1,4})(?:\.(\d{1,6}))?$/;
const PLACES = 6;
const MICROS = 10n ** BigInt(PLACES);

/** Reads a decimal text as millionths; null when invalid or not from 0 to 9999.999999. */
export function readMicros(text: string): number | null {
  const found = DECIMAL.exec(text);
  return found && Number(found[1]) * Number(MICROS) + Number((found[2] ?? '').padEnd(PLACES, '0'));
}

/** Writes millionths as a decimal text with at least two places. */
export function decimalOf(micros: bigint | number): string {
  const value = BigInt(micros);
  const size = value < 0n ? -value : value;
  const places = (size % MICROS)
    .toString()
    .padStart(PLACES, '0')
    .replace(/0{1,4}$/, '');
  return `${value < 0n ? '-' : ''}${size / MICROS}.${places}`;
}

/** A carrier's price of a segment to a prefix. */
export interface CostRow {
  prefix: string;
  micros: number;
}

/** A carrier's prices by longest prefix. */
export class PriceList {
  private readonly costs: ReadonlyMap<string, number>;
  private readonly lengths: readonly number[];

  constructor(
    readonly currency: string,
    rows: readonly CostRow[],
  ) {
    this.costs = new Map(rows.map(({ prefix, micros }) => [prefix, micros]));
    this.lengths = [...new Set(rows.map(({ prefix }) => prefix.length))].sort((a, b) => b - a);
  }

  /** Millionths per segment; 0 without a matching row. */
  microsFor(number: string): number {
    for (const length of this.lengths) {
      const micros = length > number.length ? undefined : this.costs.get(number.slice(0, length));
      if (micros !== undefined) return micros;
    }
    return 0;
  }
}
