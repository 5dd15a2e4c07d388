const NUMBER = /^(0x)?([0-9a-f]{1,40})$/i;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** Ids beyond 64 bits are names of some length, not numbers that a carrier counts. */
const LONGEST_HEX = 16;
const LONGEST_DECIMAL = 20;
/** Fewer digits than this say too little of whose number it is. */
const FEWEST_DIGITS = 8;

const stripped = (digits: string): string => digits.replace(/^0+(?=.)/, '');

/** The id as a value: without `0x`, leading zeros and capitals where it is a number or a UUID; any other one as it is. */
function canonical(id: string): string {
  if (UUID.test(id)) return id.toLowerCase();
  const digits = NUMBER.exec(id)?.[2];
  return digits === undefined ? id : stripped(digits.toLowerCase());
}

/** What is kept beside a carrier's id so that other spellings find it; null where the id says it itself. */
export function matchKey(id: string): string | null {
  const key = canonical(id);
  return key === id ? null : key;
}

/**
 * The values that an id may mean, as ids and their keys are stored: some carriers answer a submit in hexadecimal and send
 * the receipt in decimal, or the other way round. At most three; none for an id that has one spelling only.
 */
export function spellings(id: string): string[] {
  const value = canonical(id);
  if (UUID.test(id)) return [value];
  const number = NUMBER.exec(id);
  if (!number) return [];
  const found = new Set([value]);
  const isHex = number[1] !== undefined;
  if (!isHex && /^[0-9]+$/.test(value) && value.length <= LONGEST_DECIMAL) found.add(BigInt(value).toString(16));
  if (value.length <= LONGEST_HEX) found.add(BigInt(`0x${value}`).toString());
  return [...found];
}

/** True for ids that a carrier counts up: the same one may be another message's in another spelling. */
export const isCounted = (id: string): boolean => NUMBER.test(id) && stripped(id).length <= LONGEST_DECIMAL;

/** True when two numbers are one: carriers leave the country code out, or write zeros in front of it. */
export function isSameNumber(a: string, b: string): boolean {
  if (a === b) return true;
  const [one, other] = [stripped(a), stripped(b)];
  const [short, long] = one.length <= other.length ? [one, other] : [other, one];
  return short === long || (short.length >= FEWEST_DIGITS && long.endsWith(short));
}
