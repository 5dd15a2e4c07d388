import { afterSpace, COLON, COMMA, endOfValue, NONE, OPEN, OPEN_LIST, QUOTE, quoteAfter } from './json-text.js';
import { endOfSpelled } from './spelled-name.js';

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
