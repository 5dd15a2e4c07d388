import { MOST_PARTS } from '../../kernel/form-field.js';
import { bodyErrors } from './request-errors.js';

/**
 * The fields of a form (`application/x-www-form-urlencoded`); one that comes twice has the list of its values. Takes time in
 * proportion to the length of the text, whatever names come how often.
 * @param charset of what is escaped
 * @throws AppError body_too_large for more than 100,000 fields
 */
export function readForm(text: string, charset: 'utf-8' | 'iso-8859-1'): Record<string, unknown> {
  const parts = text.split('&', MOST_PARTS + 1);
  if (parts.length > MOST_PARTS) throw bodyErrors.tooLarge();
  const decode = charset === 'utf-8' ? decodeURIComponent : fromLatin;
  const lists = new Map<string, string[]>();
  for (const part of parts) {
    if (part === '') continue;
    const at = part.indexOf('=');
    const name = decoded(at < 0 ? part : part.slice(0, at), decode);
    const value = at < 0 ? '' : decoded(part.slice(at + 1), decode);
    const list = lists.get(name);
    if (list) list.push(value);
    else lists.set(name, [value]);
  }
  const fields: Record<string, unknown> = {};
  for (const [name, list] of lists) {
    // an object would take this name for its prototype
    if (name !== '__proto__' && name !== '') fields[name] = list.length === 1 ? list[0] : list;
  }
  return fields;
}

/** An escape that is none stays as it is. */
function decoded(text: string, decode: (text: string) => string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  if (!spaced.includes('%')) return spaced;
  try {
    return decode(spaced);
  } catch {
    return spaced;
  }
}

const fromLatin = (text: string): string =>
  text.replace(/%([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(parseInt(code, 16)));
