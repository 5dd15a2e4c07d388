import { NONE } from './json-text.js';
import { endOfSpelled } from './spelled-name.js';

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
