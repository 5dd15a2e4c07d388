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
