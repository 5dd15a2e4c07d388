import { refuseInexact } from '../../kernel/exact-numbers.js';
import { isObject } from '../../kernel/objects.js';
import { isTooDeep } from './json-body.js';
import { bodyErrors } from './request-errors.js';

const forms = new WeakSet<object>();

/** Marks a body that came as `application/x-www-form-urlencoded`, where every value is a text. */
export function markForm(body: object): void {
  forms.add(body);
}

/**
 * Reads the body of a route that takes forms beside JSON (reference/requests#forms). A JSON body is returned as it
 * stands, so that `"contacts": "91…,91…"` in JSON stays the fault that it is.
 * @param fields.lists comma-separated in a form (`contacts`); also taken as `contacts[]=…` repeated
 * @param fields.json arrays and objects that stand in a form as JSON text; what is no JSON stays the text
 * @throws AppError invalid `Malformed JSON body` for such a text with more than 32 levels
 */
export function fromForm(
  body: unknown,
  fields: { lists?: readonly string[]; json?: readonly string[] } = {},
): Record<string, unknown> {
  if (!isObject(body)) return {};
  if (!forms.has(body)) return body;
  const read: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(body)) {
    const field = name.endsWith('[]') ? name.slice(0, -2) : name;
    if (fields.lists?.includes(field)) read[field] = list(value);
    else {
      const last = Array.isArray(value) ? (value.at(-1) as unknown) : value;
      read[field] = fields.json?.includes(field) ? json(last) : last;
    }
  }
  return read;
}

function list(value: unknown): unknown {
  if (typeof value === 'string' && value.trim() === '') return value;
  return (Array.isArray(value) ? value : [value]).flatMap((item: unknown) => String(item).split(','));
}

function json(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  let read: unknown;
  try {
    read = JSON.parse(refuseInexact(value));
  } catch {
    return value;
  }
  if (isTooDeep(read)) throw bodyErrors.malformedJson();
  return read;
}
