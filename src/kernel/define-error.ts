import { AppError, type ErrorKind } from './app-error.js';

/** An error as a document shows it: a row of an endpoint's table. */
export interface DocumentedError {
  readonly kind: ErrorKind;
  readonly code: string;
  /** the text, literally, or with words in the place of its figures; empty when they were never said (`shown`) */
  readonly text: string;
  /** when it comes */
  readonly reason: string;
}

/**
 * An error that is said once: called, it makes the `AppError` to throw; as a value, it is the row that documents it.
 *
 * ```ts
 * // <feature>.errors.ts
 * export const smsErrors = {
 *   tooLong: invalid('message_too_long', 'Message is too long', 'over 612 septets of GSM text'),
 *   noRoute: unavailable('no_route', 'No route available for this channel'),
 *   insufficient: invalid(
 *     'insufficient_credits',
 *     (available: number, required: number) => `Insufficient credits. Available: ${available}, Required: ${required}`,
 *     'balance lower than the total',
 *   ).shown('X', 'Y'),
 * };
 *
 * // where it happens
 * throw smsErrors.insufficient(3, 5);
 *
 * // at the endpoint: its own errors alone, in the order in which they are judged
 * @ApiErrors(smsErrors.tooLong, smsErrors.noRoute.because('nothing is charged'), fieldErrors.required.shown('name'))
 * ```
 *
 * What every endpoint answers alike (401, 403, 405, 413, 415, 429, 500) is documented by `@Authenticated`, `@Admin`,
 * `@RateLimited`, `@Idempotent` and the route itself: see `platform/http/error-document.ts`.
 */
export interface DefinedError<Args extends unknown[] = []> extends DocumentedError {
  (...args: Args): AppError;
  /** The same error with the words that a document shows in the place of its figures. */
  shown(...words: { [K in keyof Args]: Args[K] | string }): DefinedError<Args>;
  /** The same error with the reason that it has at one endpoint. */
  because(reason: string): DefinedError<Args>;
}

/** The answer's `message`, literally; a function where it names figures or fields. */
type ErrorText<Args extends unknown[]> = string | ((...args: Args) => string);

/**
 * @param code stable machine name, for logs and tests
 * @param reason when it comes, for the document
 * @param retryAfterSeconds only for `too_many`: how long to wait
 */
export function defineError<Args extends unknown[] = []>(
  kind: ErrorKind,
  code: string,
  text: ErrorText<Args>,
  reason = '',
  retryAfterSeconds?: (...args: Args) => number,
): DefinedError<Args> {
  const textOf = typeof text === 'string' ? () => text : text;
  const make = (...args: Args): AppError => new AppError(kind, code, textOf(...args), retryAfterSeconds?.(...args));
  return asRow(make, textOf, { kind, code, reason, text: typeof text === 'string' ? text : '' });
}

function asRow<Args extends unknown[]>(
  make: (...args: Args) => AppError,
  textOf: (...args: Args) => string,
  row: DocumentedError,
): DefinedError<Args> {
  // a function of its own, for the properties of each row
  return Object.assign((...args: Args) => make(...args), row, {
    shown: (...words: { [K in keyof Args]: Args[K] | string }) =>
      asRow(make, textOf, { ...row, text: textOf(...(words as Args)) }),
    because: (reason: string) => asRow(make, textOf, { ...row, reason }),
  });
}

const definitionOf =
  (kind: ErrorKind) =>
  <Args extends unknown[] = []>(code: string, text: ErrorText<Args>, reason?: string): DefinedError<Args> =>
    defineError(kind, code, text, reason);

// `defineError`, one word a kind
export const invalid = definitionOf('invalid');
export const unauthenticated = definitionOf('unauthenticated');
export const forbidden = definitionOf('forbidden');
export const notFound = definitionOf('not_found');
export const conflict = definitionOf('conflict');
export const tooLarge = definitionOf('too_large');
export const unprocessable = definitionOf('unprocessable');
export const failed = definitionOf('failed');
export const upstream = definitionOf('upstream');
export const unavailable = definitionOf('unavailable');
