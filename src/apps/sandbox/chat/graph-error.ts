/** Errors of the Graph API that the sandbox gives, by their published codes. */
export const GraphCode = {
  Temporary: 2,
  InvalidParameter: 100,
  BadToken: 190,
  RateLimit: 130429,
  SomethingWentWrong: 131000,
  MissingParameter: 131008,
  InvalidValue: 131009,
  Undeliverable: 131026,
  NotInAllowedList: 131030,
  WindowClosed: 131047,
} as const;

let traces = 0;

/** A refusal in the Graph API's shape. */
export class GraphError extends Error {
  /**
   * @param status HTTP status
   * @param details the sentence of `error_data`, which the messages endpoint adds
   * @param subcode narrower than the code, where the Graph API has one
   */
  constructor(
    readonly status: number,
    readonly code: number,
    message: string,
    readonly details: string | null = null,
    readonly subcode: number | null = null,
  ) {
    super(message);
    this.name = 'GraphError';
  }

  get body(): Record<string, unknown> {
    return {
      error: {
        message: this.message,
        type:
          this.code === GraphCode.InvalidParameter && this.subcode !== null ? 'GraphMethodException' : 'OAuthException',
        code: this.code,
        ...(this.details !== null && { error_data: { messaging_product: 'whatsapp', details: this.details } }),
        ...(this.subcode !== null && { error_subcode: this.subcode }),
        ...(this.status >= 500 && { is_transient: true }),
        fbtrace_id: `A${(++traces).toString(36).padStart(12, '0')}`,
      },
    };
  }
}

/** (#100): the general complaint about a parameter. */
export const invalidParameter = (text: string): GraphError =>
  new GraphError(400, GraphCode.InvalidParameter, `(#${GraphCode.InvalidParameter}) ${text}`);

/** @throws GraphError (#131008) unless the condition holds */
export function demand(condition: unknown, details: string): asserts condition {
  if (condition) return;
  const code = GraphCode.MissingParameter;
  throw new GraphError(400, code, `(#${code}) Required parameter is missing`, details);
}

/** @throws GraphError (#131009) unless the condition holds */
export function expectValid(condition: unknown, details: string): asserts condition {
  if (condition) return;
  const code = GraphCode.InvalidValue;
  throw new GraphError(400, code, `(#${code}) Parameter value is not valid`, details);
}
