import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { type JsonObject, readJsonObject } from '../../../kernel/json-values.js';
import { readBody } from '../http-exchange.js';

/** Graph API errors that the sandbox returns, by their published codes. */
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

/** An error in the Graph API's shape; `details` is the `error_data` of the messages endpoint. */
export class GraphError extends Error {
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

/** (#100): the general error about a parameter. */
export const invalidParameter = (text: string): GraphError =>
  new GraphError(400, GraphCode.InvalidParameter, `(#${GraphCode.InvalidParameter}) ${text}`);

/** Throws GraphError (#131008) if the condition is false. */
export function demand(condition: unknown, details: string): asserts condition {
  if (condition) return;
  const code = GraphCode.MissingParameter;
  throw new GraphError(400, code, `(#${code}) Required parameter is missing`, details);
}

/** Throws GraphError (#131009) if the condition is false. */
export function expectValid(condition: unknown, details: string): asserts condition {
  if (condition) return;
  const code = GraphCode.InvalidValue;
  throw new GraphError(400, code, `(#${code}) Parameter value is not valid`, details);
}

/** A Graph API request without its version. */
export interface GraphRequest {
  method: string;
  node: string;
  edge: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

export interface GraphAnswer {
  status: number;
  body: JsonObject;
}

const PATH = /^\/v\d{1,3}\.\d\/([^/?]+)(?:\/([^/?]*))?\/?(\?.*)?$/;

export const ok = (body: JsonObject): GraphAnswer => ({ status: 200, body });

export const isGraphPath = (url: string | undefined): boolean => /^\/v\d{1,3}\.\d\//.test(url ?? '');

/** Reads a request; null if its path has another form. Rejects if the client disconnects. */
export async function readGraphRequest(request: IncomingMessage): Promise<GraphRequest | null> {
  const [, node, edge, query] = PATH.exec(request.url ?? '') ?? [];
  const body = await readBody(request);
  if (node === undefined) return null;
  return {
    method: request.method ?? 'GET',
    node,
    edge: edge ?? '',
    query: new URLSearchParams(query ?? ''),
    headers: request.headers,
    body,
  };
}

export function readJson(request: GraphRequest): JsonObject {
  const body = readJsonObject(request.body.toString());
  if (!body) throw invalidParameter('The request body must be a JSON object');
  return body;
}
