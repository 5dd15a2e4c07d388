// Characters of JSON (RFC 8259, sections 2 and 7).
export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
export const CLOSE_LIST = 0x5d;
export const OPEN = 0x7b;
export const CLOSE = 0x7d;
const SPACE = 0x20;
export const NONE = -1;

/** A number, true, false or null (RFC 8259, sections 3 and 6). */
export const LITERAL = /(?:-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null)/y;

/** UTF-16 units of a text: reading an array is twice as fast as reading the text. */
export type Units = Uint8Array | Uint16Array;

/** One byte a unit for ASCII text. Equal lengths suffice: each invalid UTF-8 byte also becomes one unit. */
export function unitsOf(text: string, bytes?: Buffer): Units {
  if (bytes?.length === text.length) return bytes;
  if (Buffer.byteLength(text) === text.length) return Buffer.from(text, 'latin1');
  const { buffer, byteOffset } = Buffer.from(text, 'utf16le');
  return new Uint16Array(buffer, byteOffset, text.length);
}

export function afterSpace(units: Units, from: number): number {
  let at = from;
  for (;;) {
    const unit = units[at] as number;
    if (unit > SPACE || !(unit === SPACE || unit === 0x0a || unit === 0x0d || unit === 0x09)) return at;
    at += 1;
  }
}

/** The end of a text without escapes, behind its closing quote; NONE if there is none or it has escapes. */
export function endOfText(units: Units, from: number): number {
  if (units[from] !== QUOTE) return NONE;
  const { length } = units;
  for (let at = from + 1; at < length; at++) {
    const unit = units[at] as number;
    if (unit === QUOTE) return at + 1;
    if (unit === BACKSLASH || unit < SPACE) return NONE;
  }
  return NONE;
}

export function endOfMatch(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : NONE;
}

/** The end of a value, found by quotes and brackets alone: it need not be valid JSON. */
export function endOfValue(units: Units, from: number): number {
  let depth = 0;
  for (let at = from; at < units.length; at++) {
    const unit = units[at] as number;
    if (unit === QUOTE) {
      at = quoteAfter(units, at + 1);
      if (depth === 0) return at + 1;
    } else if (unit === OPEN || unit === OPEN_LIST) depth += 1;
    else if (unit === CLOSE || unit === CLOSE_LIST || (unit === COMMA && depth === 0)) {
      // a number or a word ends at the next delimiter
      if (depth === 0) return at === from ? NONE : at;
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return NONE;
}

/** Index of the quote that ends a text, escapes included; the length if there is none. */
export function quoteAfter(units: Units, from: number): number {
  for (let at = from; at < units.length; at++) {
    const unit = units[at];
    if (unit === QUOTE) return at;
    if (unit === BACKSLASH) at += 1;
  }
  return units.length;
}

/** The end of a text if it equals `name`, else NONE. */
export function endOfName(name: string, units: Units, from: number): number {
  const end = from + name.length + 1;
  return units[from] === QUOTE && units[end] === QUOTE && isThere(name, units, from + 1, end) ? end + 1 : NONE;
}

export function isThere(name: string, units: Units, begin: number, end: number): boolean {
  if (name.length !== end - begin) return false;
  for (let at = 0; at < name.length; at++) if (name.charCodeAt(at) !== units[begin + at]) return false;
  return true;
}

// More than 100,000 recipients with variables need in any notation.
const MOST = 500_000;
// Scalars cost less than objects and requests hold more of them: the numbers of one quote are up to half a million.
const MOST_VALUES = 1_000_000;

// Characters of one text, longer than any field accepts.
const LONGEST_TEXT = 1024 * 1024;

/** A JSON text that costs too much memory and time, however short it is. */
export class TooMuchJson extends Error {}

/** Limits the objects, lists and values of a JSON text before it is parsed. Text beyond a limit is not read. */
export class JsonLoad {
  private items = 0;
  private opened = 0;
  // commas + 1: the first value of each object and list is not counted
  private values = 1;

  constructor(private readonly most = MOST) {}

  /** Counts an item of a list. Items are parsed one by one, so the count of values starts anew. Throws TooMuchJson. */
  addItem(): void {
    this.values = 1;
    this.items += 1;
    if (this.items > MOST) throw new TooMuchJson(`more than ${MOST} items`);
  }

  /** Counts values from `from`, outside any text, to `end` or the end of a text around it; returns that. Throws TooMuchJson. */
  addParsed(units: Units, from: number, end: number): number {
    let at = from;
    for (; at < end; at++) {
      const unit = units[at];
      if (unit === QUOTE) {
        const begin = at + 1;
        at = quoteAfter(units, begin);
        if (at - begin > LONGEST_TEXT) throw new TooMuchJson(`a text of more than ${LONGEST_TEXT} characters`);
      } else if (unit === COMMA) this.values += 1;
      else if (unit === OPEN || unit === OPEN_LIST) this.opened += 1;
    }
    if (this.values > MOST_VALUES) throw new TooMuchJson(`more than ${MOST_VALUES} values`);
    if (this.opened > this.most) throw new TooMuchJson(`more than ${this.most} objects and lists`);
    return at;
  }
}
