/** A row of a list that is at fault. */
export interface RowFault {
  row: number;
  /** what stands where the number should */
  value?: string;
  /** what is wrong, for programs */
  reason: string;
  message: string;
  /** of the number, where it is known */
  country?: string;
  missing?: string[];
}

type Fields = Record<string, unknown>;

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
const countOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);

/** Everything that a call can fail with: a refusal of the service, or `network` and `timeout` when none came. */
export class SwitchboardError extends Error {
  override readonly name = 'SwitchboardError';
  /** HTTP status; 0 when there was no answer */
  readonly status: number;
  /** stable name of the error (docs/guide/errors); judge by this one */
  readonly code: string;
  /** the field at fault, and its place where it is a list */
  readonly field: string | undefined;
  readonly index: number | undefined;
  /** what to do, for people */
  readonly hint: string | undefined;
  readonly docUrl: string | undefined;
  readonly rows: readonly RowFault[];
  /** to name when you ask for help */
  readonly requestId: string | undefined;
  /** seconds that the service asks to wait */
  readonly retryAfter: number | undefined;

  constructor(status: number, body: unknown, headers: Headers = new Headers(), options?: ErrorOptions) {
    const said: Fields = typeof body === 'object' && body !== null ? (body as Fields) : {};
    super(textOf(said['message']) ?? `The service answered ${status}`, options);
    this.status = status;
    this.code = textOf(said['code']) ?? `http_${status}`;
    this.field = textOf(said['field']);
    this.index = countOf(said['index']);
    this.hint = textOf(said['hint']);
    this.docUrl = textOf(said['doc_url']);
    this.rows = Array.isArray(said['errors']) ? (said['errors'] as RowFault[]) : [];
    this.requestId = headers.get('x-request-id') ?? undefined;
    this.retryAfter = headers.has('retry-after') ? Number(headers.get('retry-after')) : undefined;
  }
}
