import { isThere, NONE } from './json-text.js';

const LOWER = '0123456789abcdef';
const UPPER = '0123456789ABCDEF';

/**
 * Where a name ends that stands here, each of its characters as it is, or as a mark and its code in two hexadecimal digits.
 * Byte by byte: of names full of escapes a body can hold millions, and to decode each of them takes seconds.
 * @param name in ASCII
 * @param mark what begins an escape: `\u00` in JSON, `%` in a form
 * @returns NONE where another name stands
 */
export function endOfSpelled(name: string, bytes: Buffer, from: number, mark: string): number {
  let at = from;
  for (let place = 0; place < name.length; place++) {
    const code = name.charCodeAt(place);
    if (bytes[at] === code) at += 1;
    else {
      const digits = at + mark.length;
      if (!isThere(mark, bytes, at, digits)) return NONE;
      if (!isDigit(bytes[digits], code >> 4) || !isDigit(bytes[digits + 1], code & 15)) return NONE;
      at = digits + 2;
    }
  }
  return at;
}

const isDigit = (unit: number | undefined, value: number): boolean =>
  unit === LOWER.charCodeAt(value) || unit === UPPER.charCodeAt(value);
