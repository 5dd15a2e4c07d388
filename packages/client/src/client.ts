import createClient, { type Client } from 'openapi-fetch';
import { SwitchboardError } from './errors.js';
import { OPERATIONS } from './operations.js';
import { type RetryOptions, retrying } from './retries.js';
import type { operations, paths } from './schema.js';
import { type Hint, hintsOf } from './hints.js';

export interface SwitchboardOptions extends RetryOptions {
  /** where the service is, such as `https://sms.example` */
  baseUrl: string;
  /** token of a login, or what finds one for each request */
  token?: string | (() => string | Promise<string>);
  /** `sk_…`; a token counts before it */
  apiKey?: string;
  /** sent with every request */
  headers?: Record<string, string>;
  /** called when a request was taken although something in it looks wrong; own endpoints say the same in `warnings` */
  onHints?: (hints: readonly Hint[], request: Request) => void;
}

export type OperationId = keyof operations & keyof typeof OPERATIONS;

type Json<T> = T extends { content: infer Content }
  ? Content extends { 'application/json': infer Body }
    ? Body
    : Content extends Record<string, infer Text>
      ? Text
      : never
  : never;
type SuccessStatus = 200 | 201 | 202 | 204;

/** What an operation answers when it succeeds. */
export type Answer<Id extends OperationId> = {
  [Status in SuccessStatus & keyof operations[Id]['responses']]: Json<operations[Id]['responses'][Status]>;
}[SuccessStatus & keyof operations[Id]['responses']];

/** What each operation takes: `path`, `query` and `body`, where it has them. One by one, since a union of all is too large. */
type Calls = {
  [Id in OperationId]: Part<'path', operations[Id]['parameters']> &
    Part<'query', operations[Id]['parameters']> &
    BodyPart<operations[Id]> & { headers?: Record<string, string>; signal?: AbortSignal };
};
export type CallOf<Id extends OperationId> = Calls[Id];

type Part<Name extends string, Parameters> =
  Parameters extends Record<Name, infer Wanted>
    ? Record<Name, Wanted>
    : Parameters extends Partial<Record<Name, infer Optional>>
      ? Partial<Record<Name, NonNullable<Optional>>>
      : unknown;
type BodyPart<Operation> = Operation extends { requestBody: { content: infer Content } }
  ? { body: BodyOf<Content> }
  : Operation extends { requestBody?: { content: infer Content } }
    ? { body?: BodyOf<Content> }
    : unknown;
type BodyOf<Content> = Content extends { 'application/json': infer Body } ? Body : FormData | Content[keyof Content];

/** A request that says nothing. */
interface Nothing {
  headers?: Record<string, string>;
}

/** A function for each operation, by its id. */
type Operations = {
  [Id in OperationId]: Nothing extends Calls[Id]
    ? (request?: Calls[Id]) => Promise<Answer<Id>>
    : (request: Calls[Id]) => Promise<Answer<Id>>;
};

/**
 * Every operation by its id, `getCampaign({ path: { request_id } })`: it answers the body, and rejects with
 * `SwitchboardError`. Beside them what openapi-fetch has: `GET('/v6/api/campaigns', …)`.
 */
export type Switchboard = Client<paths> & Operations;

interface Call {
  path?: Record<string, unknown>;
  query?: Record<string, unknown>;
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

const KEY = 'Idempotency-Key';

/**
 * A client of the API. Its calls reject with `SwitchboardError`; what may be sent twice is, when no answer came. Sends get
 * an `Idempotency-Key`, so that one that is repeated goes out once.
 */
export function createSwitchboard(options: SwitchboardOptions): Switchboard {
  const repeatable = new WeakSet<Request>();
  const client = createClient<paths>({
    baseUrl: options.baseUrl,
    fetch: retrying(options, repeatable),
    ...(options.headers && { headers: options.headers }),
  });
  const keyed = new Set<string>(Object.values(OPERATIONS).flatMap(([, path, hasKey]) => (hasKey ? [path] : [])));
  client.use({
    onRequest: async ({ request, schemaPath }) => {
      const { token, apiKey } = options;
      const bearer = typeof token === 'function' ? await token() : token;
      if (bearer !== undefined) request.headers.set('Authorization', `Bearer ${bearer}`);
      else if (apiKey !== undefined) request.headers.set('X-API-Key', apiKey);
      if (request.method === 'POST' && keyed.has(schemaPath)) {
        if (!request.headers.has(KEY)) request.headers.set(KEY, crypto.randomUUID());
        repeatable.add(request);
      }
      return request;
    },
    onResponse: async ({ response, request }) => {
      const hints = hintsOf(response);
      if (hints.length > 0) options.onHints?.(hints, request);
      if (response.ok || response.status === 304) return;
      throw new SwitchboardError(response.status, await jsonOf(response), response.headers);
    },
  });
  const call = async (id: OperationId, { path, query, body, headers, signal }: Call = {}): Promise<unknown> => {
    const [method, template] = OPERATIONS[id];
    const request = client.request as (method: string, path: string, init: object) => Promise<{ data?: unknown }>;
    const isForm = body instanceof FormData;
    const { data } = await request(method, template, {
      params: { ...(path && { path }), ...(query && { query }) },
      ...(body !== undefined && { body }),
      ...(isForm && { bodySerializer: (form: unknown) => form }),
      ...(headers && { headers }),
      ...(signal && { signal }),
    });
    return data;
  };
  const byId = Object.keys(OPERATIONS).map((id) => [id, (request?: Call) => call(id as OperationId, request)]);
  return Object.assign(client, Object.fromEntries(byId)) as Switchboard;
}

async function jsonOf(response: Response): Promise<unknown> {
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch {
    return { message: text.slice(0, 200) };
  }
}
