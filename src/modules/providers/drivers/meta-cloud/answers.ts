import { type DocumentedError, unprocessable, upstream } from '../../../../kernel/errors.js';
import { type JsonObject, objectOrEmpty } from '../../../../kernel/json-values.js';
import { cutCodePoints } from '../../../../kernel/text.js';

const LONGEST_TEXT = 500;
const REFUSED = 'Provider refused the request';
/** What an access token of the upstream looks like, should it quote one. */
const TOKEN = /\bEA[A-Za-z0-9]{30,}/g;

const SECOND_MS = 1_000;

/** Busy, by the upstream's code: how long to wait. Such a retry does not count as an attempt. */
const THROTTLES: ReadonlyMap<number, number> = new Map([
  // calls of the application, of the business account
  [4, 60 * SECOND_MS],
  [80007, 60 * SECOND_MS],
  // messages a second of the number
  [130429, SECOND_MS],
  // one pair of numbers: a message every 6 s
  [131056, 6 * SECOND_MS],
]);

/** Unknown error, service down, something went wrong, service overloaded: certainly not taken, and worth another try. */
const TEMPORARY: ReadonlySet<number> = new Set([1, 2, 131000, 131016]);

/** Milliseconds to wait for a code that says "too fast", else null. */
export const throttleMs = (code: number | null): number | null =>
  code === null ? null : (THROTTLES.get(code) ?? null);

/** Whether the code says that the same request may succeed later. */
export const isTemporary = (code: number | null): boolean => code !== null && TEMPORARY.has(code);

const objectAt = (value: unknown, key: string): JsonObject => objectOrEmpty(objectOrEmpty(value)[key]);

/** The code of a refusal: `{ error: { code } }`; null when there is none. */
export function providerErrorCode(body: unknown): number | null {
  const { code } = objectAt(body, 'error');
  return typeof code === 'number' && Number.isSafeInteger(code) ? code : null;
}

/** The provider's own words for a refusal, at most 500 characters, without secrets. */
export function providerErrorText(body: Record<string, unknown>): string {
  const error = objectAt(body, 'error');
  const texts = [error['message'], error['error_user_msg'], objectAt(error, 'error_data')['details'], body['message']];
  const text = texts.find((value): value is string => typeof value === 'string' && value.trim() !== '') ?? REFUSED;
  return cutCodePoints(text.replace(TOKEN, '***'), LONGEST_TEXT);
}

/** Silence, a fault of the provider, or an answer that is none (reference/session-messages#errors). */
export const PROVIDER_SILENT = 'provider_silent';
export const providerSilent = upstream(
  PROVIDER_SILENT,
  'Provider did not answer',
  'silence, 5xx, a redirect, no JSON or over 1 MB',
);

/** The same to the client, when nothing has left us: what was to be done is certainly not done. */
export const PROVIDER_UNREACHED = 'provider_unreached';
export const providerUnreached = upstream(PROVIDER_UNREACHED, providerSilent.text, 'the provider cannot be reached');

/** @param text the provider's own */
const refused = unprocessable('provider_refused', (text: string) => text, 'provider rejected the request');

/** What a request to the provider may come to. */
export const PROVIDER_ERRORS: readonly DocumentedError[] = [refused.shown("the provider's own text"), providerSilent];

/**
 * The body of an answer that says yes.
 * @throws AppError `unprocessable` with the provider's own text otherwise: it refused what it was asked
 */
export function acceptedBody(answer: { status: number; body: Record<string, unknown> }): Record<string, unknown> {
  if (answer.status < 300) return answer.body;
  throw refused(providerErrorText(answer.body));
}

/**
 * A text that an accepted answer must hold, such as an id.
 * @throws AppError `upstream`: what came is no answer of this API
 */
export function textOf(body: Record<string, unknown>, field: string): string {
  const value = body[field];
  if (typeof value === 'string' && value !== '') return value;
  throw providerSilent();
}
