/** What an answer that is no success says; `message` is the API's own text. */
export class Problem extends Error {
  override name = 'Problem';

  constructor(
    /** 0: there was no answer */
    readonly status: number,
    message: string,
    /** stable name of the error */
    readonly code: string | null = null,
    /** the field of the request that is at fault */
    readonly field: string | null = null,
    /** its place where the field is a list */
    readonly index: number | null = null,
    /** what to do about it */
    readonly hint: string | null = null,
    readonly docUrl: string | null = null,
    /** the whole answer, for pages that read more of it */
    readonly body: Readonly<Record<string, unknown>> = {},
  ) {
    super(message);
  }

  /** The API is silent, rather than of another opinion. */
  get isSilence(): boolean {
    return this.status === 0 || this.status >= 500;
  }
}

const text = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

/** Reads the body of an error answer; a proxy may have answered in the API's place, with a page. */
export function readProblem(status: number, body: unknown): Problem {
  const fields = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
  const said = text(fields.message) ?? text(fields.error) ?? `The API answered ${String(status)}.`;
  const index = typeof fields.index === 'number' ? fields.index : null;
  return new Problem(
    status,
    said,
    text(fields.code),
    text(fields.field),
    index,
    text(fields.hint),
    text(fields.doc_url),
    fields,
  );
}

/** Whatever was thrown, as a problem: every call of `api` and `$api` throws one. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  return new Problem(0, error instanceof Error ? error.message : 'Something went wrong.');
}
