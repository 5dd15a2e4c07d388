/** What went wrong, in words that know no protocol. `platform/http` maps each kind to one status, once. */
export type ErrorKind =
  | 'invalid' // 400: the request is at fault
  | 'unauthenticated' // 401
  | 'forbidden' // 403
  | 'not_found' // 404
  | 'conflict' // 409
  | 'too_large' // 413
  | 'unsupported' // 415: a form of data that is not taken
  | 'unprocessable' // 422
  | 'too_many' // 429
  | 'failed' // 500: we are at fault
  | 'upstream' // 502: the provider refused or was silent
  | 'unavailable'; // 503

/** Most rows that an error names. */
export const MOST_ROW_FAULTS = 100;

/** What is wrong with one row of a list that a client sent. */
export interface RowFault {
  /** its place, 1 = the first */
  row: number;
  /** what the row gave as the number, the start of a long one */
  value?: string;
  /** what is wrong, a word for programs */
  reason: string;
  /** what is wrong, in words */
  message: string;
  /** ISO 3166 code of the country that its number is of, where that is known */
  country?: string;
  /** placeholders that have neither value nor default */
  missing?: readonly string[];
}

/** What an answer says of an error beside its text, which stays literal (reference/requests#error-codes). */
export interface ErrorHelp {
  /** the field at fault, as the request calls it */
  field?: string;
  /** its place where the field is a list, 0 = the first */
  index?: number;
  /** what to do about it, in one sentence */
  hint?: string;
}

/**
 * An error whose text goes to the client as it stands. The texts are literal, as the error tables give them
 * (reference/requests#order); they never carry SQL, a stack, a host or a secret.
 */
export class AppError extends Error {
  /** the first rows at fault of a list, which the answer gives as `errors` */
  rows?: readonly RowFault[];
  help: Readonly<ErrorHelp> = {};

  /**
   * @param kind decides the HTTP status
   * @param code stable machine name (`insufficient_credits`), which the answer gives beside the text
   * @param text the answer's `message`, literally
   * @param retryAfterSeconds only for `too_many`: becomes the `Retry-After` header
   */
  constructor(
    readonly kind: ErrorKind,
    readonly code: string,
    text: string,
    readonly retryAfterSeconds?: number,
  ) {
    super(text);
    this.name = 'AppError';
  }

  /** Says more of where the fault is and what to do about it. */
  helping(help: ErrorHelp): this {
    this.help = { ...this.help, ...help };
    return this;
  }

  /** Names the rows that are at fault, the first hundred of them. */
  naming(rows: readonly RowFault[]): this {
    this.rows = rows.slice(0, MOST_ROW_FAULTS);
    return this;
  }
}

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

/** What is said of a field of a request, wherever it is read. A document shows it with the field's name. */
export const fieldErrors = naming({
  required: invalid('field_required', (field: string) => `${field} is required`),
  invalid: invalid('field_invalid', (field: string) => `${field} is invalid`),
  tooLong: invalid('field_too_long', (field: string, most: number) => `${field} must be at most ${most} characters`),
  noWord: invalid(
    'field_no_word',
    (field: string, words: readonly string[] | string) =>
      `${field} must be one of: ${typeof words === 'string' ? words : words.join(', ')}`,
  ),
  noFlag: invalid('field_no_flag', (field: string) => `${field} must be true or false`),
  noArray: invalid('field_no_array', (field: string) => `${field} must be an array`),
  tooMany: invalid(
    'recipients_too_many',
    (field: string, most: number | string) => `${field} cannot exceed ${most.toLocaleString('en')}`,
  ),
  emptyArray: invalid('field_empty_array', (field: string) => `${field} must be a non-empty array`),
  notFetched: invalid('field_not_fetched', (field: string) => `${field} could not be fetched`),
  mustBe: invalid('field_must_be', (field: string, word: string) => `${field} must be ${word}`),
  noUrl: invalid('field_no_url', (field: string) => `${field} must be a valid URL`),
  noWholeNumber: invalid(
    'field_no_whole_number',
    (field: string, from: number, to: number) => `${field} must be a whole number from ${from} to ${to}`,
  ),
});

/** Errors whose first figure is the field, which the answer names too. */
function naming<Errors extends Record<string, DefinedError<[string, ...never[]]>>>(errors: Errors): Errors {
  return Object.fromEntries(
    Object.entries(errors).map(([name, error]) => [name, error.with({ field: (field: string) => field })]),
  ) as Errors;
}

/** The text of every quota, for an error of each feature. */
export const atMost = (most: number, things: string): string => `At most ${most} ${things} are allowed`;

/** The text of every bound of a list, for an error of each feature. */
export const atMostEntries = (field: string, most: number): string => `${field} must have at most ${most} entries`;

/**
 * Revision of something that its owner has not changed yet; each of the owner's changes makes it one more
 * (reference/admin#revisions).
 */
export const FIRST_REVISION = 1;

/**
 * Staff judge what they have looked at, not what the owner made of it since.
 * @param named the revision that the request names; null = none, which will do for what was never changed
 * @throws AppError conflict `Changed since you looked`
 */
export function assertSeen(revision: number, named: number | null): void {
  if ((named ?? FIRST_REVISION) !== revision) throw changedSince();
}

/** The owner was faster. */
export const changedSince = conflict(
  'changed_since',
  'Changed since you looked',
  'the owner did; or no revision, and it is not 1 any more',
);
