import { type DocumentedError, unprocessable, upstream } from '../../../../kernel/errors.js';
import { type JsonObject, objectOrEmpty } from '../../../../kernel/json-values.js';
import { cutCodePoints } from '../../../../kernel/text.js';

const LONGEST_TEXT = 500;
const REFUSED = 'Provider refused the request';
const TOKEN = /\bEA[A-Za-z0-9]{30,}/g;

const SECOND_MS = 1_000;

/** Throttling codes and their waits; such a retry does not count as an attempt. */
const THROTTLES: ReadonlyMap<number, number> = new Map([
  // calls of the application; of the business account
  [4, 60 * SECOND_MS],
  [80007, 60 * SECOND_MS],
  // messages a second of the number
  [130429, SECOND_MS],
  // one pair of numbers: a message every 6 s
  [131056, 6 * SECOND_MS],
]);

/** Unknown error, service down, overloaded: certainly not taken, worth a retry. */
const TEMPORARY: ReadonlySet<number> = new Set([1, 2, 131000, 131016]);

/** Milliseconds to wait for a throttling code, else null. */
export const throttleMs = (code: number | null): number | null =>
  code === null ? null : (THROTTLES.get(code) ?? null);

export const isTemporary = (code: number | null): boolean => code !== null && TEMPORARY.has(code);

const objectAt = (value: unknown, key: string): JsonObject => objectOrEmpty(objectOrEmpty(value)[key]);

export function providerErrorCode(body: unknown): number | null {
  const { code } = objectAt(body, 'error');
  return typeof code === 'number' && Number.isSafeInteger(code) ? code : null;
}

/** The provider's text of a refusal, at most 500 characters, without secrets. */
export function providerErrorText(body: Record<string, unknown>): string {
  const error = objectAt(body, 'error');
  const texts = [error['message'], error['error_user_msg'], objectAt(error, 'error_data')['details'], body['message']];
  const text = texts.find((value): value is string => typeof value === 'string' && value.trim() !== '') ?? REFUSED;
  return cutCodePoints(text.replace(TOKEN, '***'), LONGEST_TEXT);
}

/** Silence, a fault of the provider, or a malformed answer (reference/session-messages#errors). */
export const PROVIDER_SILENT = 'provider_silent';
export const providerSilent = upstream(
  PROVIDER_SILENT,
  'Provider did not answer',
  'silence, 5xx, a redirect, no JSON or over 1 MB',
);

/** The same text, when the request certainly did not arrive. */
export const PROVIDER_UNREACHED = 'provider_unreached';
export const providerUnreached = upstream(PROVIDER_UNREACHED, providerSilent.text, 'the provider cannot be reached');

const refused = unprocessable('provider_refused', (text: string) => text, 'provider rejected the request');

export const PROVIDER_ERRORS: readonly DocumentedError[] = [refused.shown("the provider's own text"), providerSilent];

/** The body of a 2xx answer. @throws AppError `unprocessable` with the provider's text */
export function acceptedBody(answer: { status: number; body: Record<string, unknown> }): Record<string, unknown> {
  if (answer.status < 300) return answer.body;
  throw refused(providerErrorText(answer.body));
}

/** A required text of a 2xx answer, such as an id. @throws AppError `upstream` */
export function textOf(body: Record<string, unknown>, field: string): string {
  const value = body[field];
  if (typeof value === 'string' && value !== '') return value;
  throw providerSilent();
}
