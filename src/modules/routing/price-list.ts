const DECIMAL = /^(\d{1,4})(?:\.(\d{1,6}))?$/;
/** Digits behind the point. */
const PLACES = 6;
const MICROS = 10n ** BigInt(PLACES);

/** A decimal text as millionths; null = none, or not from 0 to 9999.999999. */
export function readMicros(text: string): number | null {
  const found = DECIMAL.exec(text);
  return found && Number(found[1]) * Number(MICROS) + Number((found[2] ?? '').padEnd(PLACES, '0'));
}

/** Millionths as a decimal text with as many places as it takes, two at least. */
export function decimalOf(micros: bigint | number): string {
  const value = BigInt(micros);
  const size = value < 0n ? -value : value;
  const places = (size % MICROS)
    .toString()
    .padStart(PLACES, '0')
    .replace(/0{1,4}$/, '');
  return `${value < 0n ? '-' : ''}${size / MICROS}.${places}`;
}

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
