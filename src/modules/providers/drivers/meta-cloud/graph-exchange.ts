import { readJsonObject } from '../../../../kernel/json-values.js';
import { type Address, type OutboundClient, OutboundError, readAddress } from '../../../../platform/outbound/index.js';
import { baseUrlOf, type GraphAccount } from './config.js';

export interface GraphCall {
  method: 'GET' | 'POST' | 'DELETE';
  path: string;
  query?: Record<string, string>;
  json?: Record<string, unknown>;
  /** not JSON; its `content-type` is in `headers` */
  body?: Buffer;
  /** added to the account's; `authorization` replaces the bearer token */
  headers?: Record<string, string>;
  /** default 15,000 */
  timeoutMs?: number;
}

/** `odd` = a redirect, or no JSON object; `fault` = no answer, its error says whether the request may have arrived */
export type GraphExchange =
  | { kind: 'answer'; status: number; body: Record<string, unknown>; retryAfter: string | undefined }
  | { kind: 'odd'; status: number; retryAfter: string | undefined }
  | { kind: 'fault'; error: OutboundError };

export const CALL_MS = 15_000;
const MOST_ANSWER_BYTES = 1024 * 1024;
/** Shorter tokens are not masked in answers: they might be ordinary words. */
const SHORTEST_SECRET = 8;

/** URL and headers of an account's calls, computed once. */
export interface GraphEndpoint {
  url: Address;
  method: GraphCall['method'];
  headers: Record<string, string>;
  /** masked in answers that quote our request */
  secret: string | null;
  guarded: boolean;
}

export function endpointOf(account: GraphAccount, call: GraphCall): GraphEndpoint | null {
  const base = baseUrlOf(account);
  if (base === null) return null;
  const query = call.query === undefined ? '' : `?${new URLSearchParams(call.query).toString()}`;
  return {
    url: readAddress(`${base}/${call.path.replace(/^\/+/, '')}${query}`),
    method: call.method,
    headers: { ...headersOf(account), ...(call.json && { 'content-type': 'application/json' }), ...call.headers },
    secret: account.token,
    guarded: account.guarded ?? false,
  };
}

/** Makes one call; never rejects for a network fault. An invalid URL counts as not sent. */
export async function exchangeWith(
  outbound: OutboundClient,
  account: GraphAccount,
  call: GraphCall,
): Promise<GraphExchange> {
  const endpoint = endpointOf(account, call);
  if (!endpoint) return { kind: 'fault', error: new OutboundError('refused', false) };
  const body = call.json === undefined ? call.body : JSON.stringify(call.json);
  return exchangeAt(outbound, endpoint, body, call);
}

export async function exchangeAt(
  outbound: OutboundClient,
  { url, method, headers, secret, guarded }: GraphEndpoint,
  body: string | Buffer | undefined,
  { timeoutMs = CALL_MS, onSending }: { timeoutMs?: number; onSending?: (() => void) | undefined } = {},
): Promise<GraphExchange> {
  try {
    const response = await outbound.request({
      url,
      method,
      headers,
      ...(body !== undefined && { body }),
      timeoutMs,
      maxBytes: MOST_ANSWER_BYTES,
      trusted: true,
      guardedRoute: guarded,
      onSending,
    });
    const { status } = response;
    const retryAfter = response.headers['retry-after'];
    const read = status >= 300 && status < 400 ? null : readJson(response.body, status < 400 ? null : secret);
    return read ? { kind: 'answer', status, body: read, retryAfter } : { kind: 'odd', status, retryAfter };
  } catch (error) {
    const known = error instanceof OutboundError ? error : new OutboundError('interrupted', true, error);
    return { kind: 'fault', error: known };
  }
}

/** A reseller's token covers many businesses: `bmid` names one (reference/providers#chat-network). */
function headersOf({ provider, token, bmid }: GraphAccount): Record<string, string> {
  const headers: Record<string, string> = { accept: 'application/json', authorization: `Bearer ${token ?? ''}` };
  if (provider === 'reseller' && bmid !== null) headers['bmid'] = bmid;
  return headers;
}

/** @returns null = no JSON object @param secret masked */
function readJson(bytes: Buffer, secret: string | null): Record<string, unknown> | null {
  let text = bytes.toString('utf8');
  if (secret !== null && secret.length >= SHORTEST_SECRET) {
    text = text.replaceAll(JSON.stringify(secret).slice(1, -1), '***');
  }
  return readJsonObject(text);
}
