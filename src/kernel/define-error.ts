import { AppError, type ErrorHelp, type ErrorKind } from './app-error.js';

/** An error as a document shows it: a row of an endpoint's table. */
export interface DocumentedError {
  readonly kind: ErrorKind;
  readonly code: string;
  /** the text, literally, or with words in the place of its figures; empty when they were never said (`shown`) */
  readonly text: string;
  /** when it comes */
  readonly reason: string;
  readonly help: Readonly<ErrorHelp>;
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
  /** The same error with what its answers say beside the text: which field (a function where a figure names it), what to do. */
  with(help: HelpOf<Args>): DefinedError<Args>;
  /** The error to throw, with the words that the document shows. */
  asShown(): AppError;
}

/** What is said of every error of a definition. */
interface HelpOf<Args extends unknown[]> {
  field?: string | ((...args: Args) => string);
  hint?: string;
}

/** The answer's `message`, literally; a function where it names figures or fields. */
type ErrorText<Args extends unknown[]> = string | ((...args: Args) => string);

/** What a definition is made of. */
interface Definition<Args extends unknown[]> {
  readonly textOf: (...args: Args) => string;
  readonly retryAfter?: ((...args: Args) => number) | undefined;
  readonly help: HelpOf<Args>;
}

/**
 * @param code stable machine name: the answer's `code`, for clients, logs and tests
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
  const shown = typeof text === 'string' ? text : '';
  return asRow({ textOf, retryAfter: retryAfterSeconds, help: {} }, { kind, code, reason, text: shown, help: {} });
}

function asRow<Args extends unknown[]>(definition: Definition<Args>, row: DocumentedError): DefinedError<Args> {
  const { textOf, retryAfter, help } = definition;
  const made = (text: string, said: ErrorHelp, seconds?: number): AppError =>
    new AppError(row.kind, row.code, text, seconds).helping(said);
  // a function of its own, for the properties of each row
  return Object.assign((...args: Args) => made(textOf(...args), helpFor(help, args), retryAfter?.(...args)), row, {
    shown: (...words: { [K in keyof Args]: Args[K] | string }) => {
      const args = words as Args;
      return asRow(definition, { ...row, text: textOf(...args), help: helpFor(help, args) });
    },
    because: (reason: string) => asRow(definition, { ...row, reason }),
    with: (more: HelpOf<Args>) =>
      asRow({ ...definition, help: { ...help, ...more } }, { ...row, help: { ...row.help, ...literal(more) } }),
    asShown: () => made(row.text, row.help),
  });
}

function helpFor<Args extends unknown[]>({ field, hint }: HelpOf<Args>, args: Args): ErrorHelp {
  const named = typeof field === 'function' ? field(...args) : field;
  return { ...(named !== undefined && { field: named }), ...(hint !== undefined && { hint }) };
}

/** What is said whatever the figures. */
function literal<Args extends unknown[]>({ field, hint }: HelpOf<Args>): ErrorHelp {
  return { ...(typeof field === 'string' && { field }), ...(hint !== undefined && { hint }) };
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
export const unsupported = definitionOf('unsupported');
export const unprocessable = definitionOf('unprocessable');
export const failed = definitionOf('failed');
export const upstream = definitionOf('upstream');
export const unavailable = definitionOf('unavailable');
