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

// Works byte by byte: a body can hold millions of escaped names, and decoding each of them takes seconds.
// `name` is ASCII; `mark` begins an escape: `\u00` in JSON, `%` in a form. Returns NONE if the name at `from` is another one.
function endOfSpelled(name: string, bytes: Buffer, from: number, mark: string): number {
  let at = from;
  for (let index = 0; index < name.length; index++) {
    const code = name.charCodeAt(index);
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
/** Parts of a form that are read; later ones are ignored. */
export const MOST_PARTS = 100_000;

/** Reads one field of a form in UTF-8; the last occurrence counts, and `name[]` equals `name`. Returns undefined without it. */
export function readFormField(bytes: Buffer, field: string): string | undefined {
  // Keyed by "is a list": the cell merges `name` and `name[]` into one field and takes the one whose first occurrence is later.
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

// A field with an empty name: without it, URLSearchParams drops a leading `?` and splits at `=`.
const decoded = (text: string): string => new URLSearchParams(`=${text}`).get('') ?? '';

/** Reads the last such field of a JSON object without parsing the rest; `{}` for a list or object, undefined if absent. */
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

function parsed(bytes: Buffer, from: number, end: number): unknown {
  // A list or object may hold millions of values: parsing it would exhaust the memory.
  if (bytes[from] === OPEN || bytes[from] === OPEN_LIST) return {};
  try {
    return JSON.parse(bytes.toString('utf8', from, end));
  } catch {
    return undefined;
  }
}
