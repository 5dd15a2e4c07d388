/** What JSON is written with (RFC 8259, sections 2 and 7). */
export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const OPEN_LIST = 0x5b;
export const BACKSLASH = 0x5c;
export const CLOSE_LIST = 0x5d;
export const OPEN = 0x7b;
export const CLOSE = 0x7d;
export const SPACE = 0x20;
/** What is not there has no place. */
export const NONE = -1;

/** A number, true, false or null, from where it is looked for (RFC 8259, sections 3 and 6). */
export const LITERAL = /(?:-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null)/y;

/** The UTF-16 units of a text: an array of them is read twice as fast as the text. */
export type Units = Uint8Array | Uint16Array;

/** A byte of each in a text of ASCII alone: as many bytes as units, for what is no UTF-8 becomes a unit of each byte. */
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

/** Where the text that begins with a quote here ends, behind its last quote; NONE = there is none, or it has escapes. */
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

/** Where a value ends, by its quotes and brackets alone: whether it is JSON is not asked. */
export function endOfValue(units: Units, from: number): number {
  let depth = 0;
  for (let at = from; at < units.length; at++) {
    const unit = units[at] as number;
    if (unit === QUOTE) {
      at = quoteAfter(units, at + 1);
      if (depth === 0) return at + 1;
    } else if (unit === OPEN || unit === OPEN_LIST) depth += 1;
    else if (unit === CLOSE || unit === CLOSE_LIST || (unit === COMMA && depth === 0)) {
      // of a number or a word the end is what comes behind it
      if (depth === 0) return at === from ? NONE : at;
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return NONE;
}

/** The quote that ends a text, escapes or not; the end of all where there is none. */
export function quoteAfter(units: Units, from: number): number {
  for (let at = from; at < units.length; at++) {
    const unit = units[at];
    if (unit === QUOTE) return at;
    if (unit === BACKSLASH) at += 1;
  }
  return units.length;
}

/** Where a text ends if it is this one. */
export function endOfName(name: string, units: Units, from: number): number {
  const end = from + name.length + 1;
  return units[from] === QUOTE && units[end] === QUOTE && isThere(name, units, from + 1, end) ? end + 1 : NONE;
}

export function isThere(name: string, units: Units, begin: number, end: number): boolean {
  if (name.length !== end - begin) return false;
  for (let at = 0; at < name.length; at++) if (name.charCodeAt(at) !== units[begin + at]) return false;
  return true;
}

/** A hundred thousand recipients with variables are less, whichever way they are written. */
const MOST = 500_000;
/** Texts, numbers and words are less than an object each, and more of them are sent: the numbers of a quote alone are half of these. */
const MOST_VALUES = 1_000_000;

/** Characters of one text: longer than whatever a field takes. */
const LONGEST_TEXT = 1024 * 1024;

/** A text of JSON is more than memory and time are spent on, however short it is. */
export class TooMuchJson extends Error {}

/**
 * Counts what of a JSON text costs more than its length says, before it does: the values that a parser would make of it,
 * objects and lists above all, and the items of a list that is looked through. As of a body that is too large in bytes, what lies beyond
 * is not looked at, so that it is refused whether or not it is JSON.
 */
export class JsonLoad {
  private items = 0;
  private opened = 0;
  /** but for objects and lists with something in them: a comma stands before each but the first */
  private values = 1;

  /** @param most objects and lists that are parsed */
  constructor(private readonly most = MOST) {}

  /** Each item is parsed for itself, if it is: the values of those before are gone by then. @throws TooMuchJson */
  addItem(): void {
    this.values = 1;
    this.items += 1;
    if (this.items > MOST) throw new TooMuchJson(`more than ${MOST} items`);
  }

  /**
   * Counts the values that begin between two places, the first of which is in no text.
   * @returns where it has stopped: at the second one, or behind the text in which that stands
   * @throws TooMuchJson
   */
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
