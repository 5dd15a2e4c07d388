import {
  afterSpace,
  COLON,
  COMMA,
  endOfText,
  endOfValue,
  isThere,
  NONE,
  OPEN,
  QUOTE,
  quoteAfter,
} from './json-text.js';

/**
 * What a field holds of the object that a JSON text is; of a name that comes twice the last one counts. Nothing but this value
 * is parsed: who wants a name alone makes no objects of a hundred thousand recipients beside it. Whether what follows is JSON is not asked.
 * @param bytes the text in UTF-8
 * @returns undefined where there is no such field, or no object
 */
export function readJsonField(bytes: Buffer, field: string): unknown {
  let value: unknown;
  let at = afterSpace(bytes, 0);
  if (bytes[at] !== OPEN) return undefined;
  do {
    const name = afterSpace(bytes, at + 1);
    if (bytes[name] !== QUOTE) return value;
    const close = quoteAfter(bytes, name + 1) + 1;
    at = afterSpace(bytes, close);
    if (bytes[at] !== COLON) return value;
    const from = afterSpace(bytes, at + 1);
    at = endOfValue(bytes, from);
    if (at === NONE) return value;
    if (isNamed(field, bytes, name, close)) value = parsed(bytes, from, at);
    at = afterSpace(bytes, at);
  } while (bytes[at] === COMMA);
  return value;
}

/** A name with escapes is parsed. */
const isNamed = (field: string, bytes: Buffer, from: number, end: number): boolean =>
  endOfText(bytes, from) === NONE ? parsed(bytes, from, end) === field : isThere(field, bytes, from + 1, end - 1);

/** @returns undefined for what is no JSON */
function parsed(bytes: Buffer, from: number, end: number): unknown {
  try {
    return JSON.parse(bytes.toString('utf8', from, end));
  } catch {
    return undefined;
  }
}
