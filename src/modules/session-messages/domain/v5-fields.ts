import { invalid } from '../../../kernel/define-error.js';
import { fieldErrors } from '../../../kernel/field-errors.js';
import { codePoints, readText, textOrNull } from '../../../kernel/text.js';
import { isHttpUrl } from '../../../kernel/web-url.js';

/** A v5 body as it came; every value may be of any type. */
export type V5Body = Readonly<Record<string, unknown>>;

/** Most characters of an id or a title (reference/session-messages#v5-paths). */
export const LONGEST_TITLE = 20;

/** Faults of a v5 body beside those of any field (reference/session-messages#v5-errors). */
export const v5Faults = {
  service: invalid(
    'service',
    fieldErrors.mustBe.shown('brodcast_service', 'chat_credits').text,
    'given and something else',
  ).with({ field: 'brodcast_service' }),
  together: invalid('list_and_buttons', 'list and buttons cannot be sent together', 'both given').with({
    field: 'list',
    hint: 'Send two messages.',
  }),
  count: invalid('field_count', (name: string, most: number) => `${name} must be between 1 and ${most}`).with({
    field: (name: string) => name,
  }),
};

/** Whether the field holds anything, be it right or wrong. */
export const given = (body: V5Body, name: string): boolean => readText(body[name]).kind !== 'empty';

/** @throws AppError `<name> is required` for what is missing or no text */
export function requiredText(body: V5Body, name: string): string {
  const text = textOrNull(body[name]);
  if (text === null) throw fieldErrors.required(name);
  return text;
}

/** @throws AppError `<name> is invalid` for what is no text */
export function optionalText(body: V5Body, name: string): string | null {
  const read = readText(body[name]);
  if (read.kind === 'fault') throw fieldErrors.invalid(name);
  return read.kind === 'text' ? read.value : null;
}

/** A required id or title of at most 20 characters. */
export function requiredTitle(body: V5Body, name: string): string {
  const text = requiredText(body, name);
  if (codePoints(text) > LONGEST_TITLE) throw fieldErrors.tooLong(name, LONGEST_TITLE);
  return text;
}

/** How many entries a message has: 1 to `most`. */
export function countOf(body: V5Body, name: string, most: number): number {
  const text = textOrNull(body[name])?.trim() ?? '';
  const count = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (count < 1 || count > most) throw v5Faults.count(name, most);
  return count;
}

/** A required http(s) URL; it is handed on, never fetched here. */
export function requiredUrl(body: V5Body, name: string): string {
  const url = requiredText(body, name).trim();
  if (!isHttpUrl(url)) throw fieldErrors.noUrl(name);
  return url;
}
