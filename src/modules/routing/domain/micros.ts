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
