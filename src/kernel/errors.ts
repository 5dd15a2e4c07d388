/** Error kinds, independent of a protocol; `platform/http` maps each kind to one status. */
export type ErrorKind =
  | 'invalid' // 400: the request is at fault
  | 'unauthenticated' // 401
  | 'forbidden' // 403
  | 'not_found' // 404
  | 'conflict' // 409
  | 'too_large' // 413
  | 'unsupported' // 415: unsupported media type
  | 'unprocessable' // 422
  | 'too_many' // 429
  | 'failed' // 500: a fault of the service
  | 'upstream' // 502: the provider refused or did not answer
  | 'unavailable'; // 503

export const MOST_ROW_FAULTS = 100;

/** The fault of one row of a list in a request. */
export interface RowFault {
  /** from 1 */
  row: number;
  /** the number as given, cut if it is long */
  value?: string;
  reason: string;
  message: string;
  /** ISO 3166 code of the number's country, if known */
  country?: string;
  /** placeholders without value and default */
  missing?: readonly string[];
}

export interface ErrorHelp {
  field?: string;
  /** index in `field` if that is a list, from 0 */
  index?: number;
  hint?: string;
}

/** An error whose literal text goes to the client (reference/requests#order): never SQL, a stack, a host or a secret. */
export class AppError extends Error {
  /** the first faulty rows of a list: `errors` of the answer */
  rows?: readonly RowFault[];
  help: Readonly<ErrorHelp> = {};
  /** further fields of the answer */
  facts?: Readonly<Record<string, unknown>>;

  // `kind` decides the HTTP status, `code` is a stable name for programs, `text` is the `message` of the answer,
  // `retryAfterSeconds` becomes the `Retry-After` header of a `too_many`.
  constructor(
    readonly kind: ErrorKind,
    readonly code: string,
    text: string,
    readonly retryAfterSeconds?: number,
  ) {
    super(text);
    this.name = 'AppError';
  }

  /** Adds the faulty field and a hint. */
  helping(help: ErrorHelp): this {
    this.help = { ...this.help, ...help };
    return this;
  }

  /** Adds fields that a program needs to go on. */
  carrying(facts: Readonly<Record<string, unknown>>): this {
    this.facts = facts;
    return this;
  }

  /** Adds the first `MOST_ROW_FAULTS` faulty rows. */
  naming(rows: readonly RowFault[]): this {
    this.rows = rows.slice(0, MOST_ROW_FAULTS);
    return this;
  }
}

/** An error as documented: a row of an endpoint's error table. */
export interface DocumentedError {
  readonly kind: ErrorKind;
  readonly code: string;
  /** literal, or with words instead of its arguments (`shown`); empty without them */
  readonly text: string;
  /** when the error occurs */
  readonly reason: string;
  readonly help: Readonly<ErrorHelp>;
}

/** An error of an endpoint: `throw errors.insufficient(3, 5)` calls it, `@ApiErrors(errors.insufficient)` documents it. */
export interface DefinedError<Args extends unknown[] = []> extends DocumentedError {
  (...args: Args): AppError;
  /** The same error with words instead of its arguments, for the document. */
  shown(...words: { [K in keyof Args]: Args[K] | string }): DefinedError<Args>;
  /** The same error with its reason at one endpoint. */
  because(reason: string): DefinedError<Args>;
  /** The same error with a field (a function if an argument names it) and a hint. */
  with(help: HelpOf<Args>): DefinedError<Args>;
  /** The error to throw, with the words of the document. */
  asShown(): AppError;
}

interface HelpOf<Args extends unknown[]> {
  field?: string | ((...args: Args) => string);
  hint?: string;
}

type ErrorText<Args extends unknown[]> = string | ((...args: Args) => string);

interface Definition<Args extends unknown[]> {
  readonly textOf: (...args: Args) => string;
  readonly retryAfter?: ((...args: Args) => number) | undefined;
  readonly help: HelpOf<Args>;
}

/** Defines an error; `code` is stable for clients, `reason` documents when it occurs, only `too_many` takes seconds. */
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
  // A new function for each row, because each row has its own properties.
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

function literal<Args extends unknown[]>({ field, hint }: HelpOf<Args>): ErrorHelp {
  return { ...(typeof field === 'string' && { field }), ...(hint !== undefined && { hint }) };
}

const definitionOf =
  (kind: ErrorKind) =>
  <Args extends unknown[] = []>(code: string, text: ErrorText<Args>, reason?: string): DefinedError<Args> =>
    defineError(kind, code, text, reason);

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

/** Faults of any request field; the first argument is the field's name. */
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
  foreign: invalid(
    'field_of_another_channel',
    (field: string, channel: string) => `${field} does not go with channel ${channel}`,
  ).with({ hint: 'Leave it out, or choose the channel it belongs to.' }),
  notFetched: invalid('field_not_fetched', (field: string) => `${field} could not be fetched`),
  mustBe: invalid('field_must_be', (field: string, word: string) => `${field} must be ${word}`),
  noUrl: invalid('field_no_url', (field: string) => `${field} must be a valid URL`),
  noWholeNumber: invalid(
    'field_no_whole_number',
    (field: string, from: number, to: number) => `${field} must be a whole number from ${from} to ${to}`,
  ),
});

// The first argument of each error becomes the `field` of its answer.
function naming<Errors extends Record<string, DefinedError<[string, ...never[]]>>>(errors: Errors): Errors {
  return Object.fromEntries(
    Object.entries(errors).map(([name, error]) => [name, error.with({ field: (field: string) => field })]),
  ) as Errors;
}

export const atMost = (most: number, things: string): string => `At most ${most} ${things} are allowed`;

export const atMostEntries = (field: string, most: number): string => `${field} must have at most ${most} entries`;

/** Revision of an object that its owner has not changed yet; each change adds 1 (reference/admin#revisions). */
export const FIRST_REVISION = 1;

/** Throws conflict `Changed since you looked` if the named revision (null = the first) is not the current one. */
export function assertSeen(revision: number, named: number | null): void {
  if ((named ?? FIRST_REVISION) !== revision) throw changedSince();
}

/** The owner changed the object after staff read it. */
export const changedSince = conflict(
  'changed_since',
  'Changed since you looked',
  'the owner did; or no revision, and it is not 1 any more',
);
