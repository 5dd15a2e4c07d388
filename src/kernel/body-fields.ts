import {
  afterSpace,
  COLON,
  COMMA,
  endOfValue,
  isThere,
  NONE,
  OPEN,
  OPEN_LIST,
  QUOTE,
  quoteAfter,
} from './json-text.js';

const LOWER = '0123456789abcdef';
const UPPER = '0123456789ABCDEF';

/**
 * Where a name ends that stands here, each of its characters as it is, or as a mark and its code in two hexadecimal digits.
 * Byte by byte: of names full of escapes a body can hold millions, and to decode each of them takes seconds.
 * @param name in ASCII
 * @param mark what begins an escape: `\u00` in JSON, `%` in a form
 * @returns NONE where another name stands
 */
function endOfSpelled(name: string, bytes: Buffer, from: number, mark: string): number {
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

const AND = 0x26;
const EQUALS = 0x3d;
/** Parts of a form; of one that has more nothing is read. */
export const MOST_PARTS = 100_000;

/**
 * What a field holds of a form (`application/x-www-form-urlencoded`); of a name that comes twice the last one counts, and
 * `name[]` is `name`. Nothing but this value is decoded, and of names none.
 * @param bytes the text in UTF-8
 * @param field in ASCII
 * @returns undefined where there is no such field
 */
export function readFormField(bytes: Buffer, field: string): string | undefined {
  // By `name` and `name[]`, each where it came first: so does a cell, which makes one field of both and takes the later one.
  const found = new Map<boolean, readonly [from: number, end: number]>();
  let from = 0;
  for (let parts = 0; parts < MOST_PARTS && from < bytes.length; parts++) {
    const next = bytes.indexOf(AND, from);
    const end = next === NONE ? bytes.length : next;
    const name = endOfSpelled(field, bytes, from, '%');
    const list = name === NONE ? NONE : endOfSpelled('[]', bytes, name, '%');
    const close = list === NONE ? name : list;
    if (close === end || (close !== NONE && bytes[close] === EQUALS)) found.set(list !== NONE, [close + 1, end]);
    from = end + 1;
  }
  const value = [...found.values()].at(-1);
  return value && decoded(bytes.toString('utf8', ...value));
}

/** As the value of a field that has no name: a text with a `?` before it, or an `=` in it, stays what it is. */
const decoded = (text: string): string => new URLSearchParams(`=${text}`).get('') ?? '';

/**
 * What a field holds of the object that a JSON text is; of a name that comes twice the last one counts. Nothing but this value
 * is parsed, and it once: who wants a name alone makes no objects of a hundred thousand recipients beside it. Whether what follows
 * is JSON is not asked.
 * @param bytes the text in UTF-8
 * @param field in ASCII
 * @returns undefined where there is no such field, or no object; of a list or an object only that it is one, as `{}`
 */
export function readJsonField(bytes: Buffer, field: string): unknown {
  let found: readonly [from: number, end: number] | null = null;
  let at = afterSpace(bytes, 0);
  if (bytes[at] !== OPEN) return undefined;
  do {
    const name = afterSpace(bytes, at + 1);
    if (bytes[name] !== QUOTE) break;
    const close = quoteAfter(bytes, name + 1);
    at = afterSpace(bytes, close + 1);
    if (bytes[at] !== COLON) break;
    const from = afterSpace(bytes, at + 1);
    at = endOfValue(bytes, from);
    if (at === NONE) break;
    if (endOfSpelled(field, bytes, name + 1, '\\u00') === close) found = [from, at];
    at = afterSpace(bytes, at);
  } while (bytes[at] === COMMA);
  return found === null ? undefined : parsed(bytes, ...found);
}

/** @returns undefined for what is no JSON */
function parsed(bytes: Buffer, from: number, end: number): unknown {
  // one that holds millions of others would fill the memory
  if (bytes[from] === OPEN || bytes[from] === OPEN_LIST) return {};
  try {
    return JSON.parse(bytes.toString('utf8', from, end));
  } catch {
    return undefined;
  }
}
