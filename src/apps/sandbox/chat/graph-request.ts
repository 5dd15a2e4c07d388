import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { type JsonObject, readJsonObject } from '../../../kernel/objects.js';
import { readBody } from '../http/read-body.js';
import { invalidParameter } from './graph-error.js';

/** A request to the Graph API, its version taken off. */
export interface GraphRequest {
  method: string;
  /** the object: phone number id, business account id, app id, template id or upload session */
  node: string;
  /** what of the object: `messages`, …; '' = the object itself */
  edge: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** An answer of the Graph API. */
export interface GraphAnswer {
  status: number;
  body: JsonObject;
}

const PATH = /^\/v\d{1,3}\.\d\/([^/?]+)(?:\/([^/?]*))?\/?(\?.*)?$/;

export const ok = (body: JsonObject): GraphAnswer => ({ status: 200, body });

/** Says whether a request's path is one of the Graph API. */
export const isGraphPath = (url: string | undefined): boolean => /^\/v\d{1,3}\.\d\//.test(url ?? '');

/** Reads a request whole. @returns null when its path has no such form. Rejects when the other side hangs up */
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

/** @throws GraphError (#100) when the body is no JSON object */
export function readJson(request: GraphRequest): JsonObject {
  const body = readJsonObject(request.body.toString());
  if (!body) throw invalidParameter('The request body must be a JSON object');
  return body;
}
