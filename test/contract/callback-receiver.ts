import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { OpenSandbox } from './open-sandbox.js';

/** A request that reached the receiver. */
export interface Received {
  headers: IncomingMessage['headers'];
  /** the bytes, as text */
  raw: string;
}

/** An endpoint that takes callbacks of the chat upstream, as any customer's would. */
export interface CallbackReceiver {
  url: string;
  received: Received[];
  /** values of `entry[].changes[]`, in order of arrival */
  values(): Record<string, unknown>[];
  close(): void;
}

/** Answers verification calls that bring the token, and takes everything else. */
export async function receiveCallbacks(verifyToken: string): Promise<CallbackReceiver> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    if (request.method === 'GET') {
      const { searchParams } = new URL(request.url ?? '', 'http://receiver');
      const known = searchParams.get('hub.verify_token') === verifyToken;
      response.writeHead(known ? 200 : 403).end(known ? searchParams.get('hub.challenge') : '');
      return;
    }
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      received.push({ headers: request.headers, raw: Buffer.concat(chunks).toString() });
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`,
    received,
    values: () =>
      received.flatMap(({ raw }) =>
        (JSON.parse(raw) as { entry: { changes: { value: Record<string, unknown> }[] }[] }).entry.flatMap((entry) =>
          entry.changes.map((change) => change.value),
        ),
      ),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** An answer of the sandbox, whatever its status. */
export interface GraphAnswer {
  status: number;
  body: Record<string, unknown>;
}

/** Calls a path of the sandbox with a valid token. */
export async function graphCall(
  sandbox: OpenSandbox,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<GraphAnswer> {
  const response = await fetch(sandbox.url + path, {
    method,
    headers: { authorization: 'Bearer token', 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body: body instanceof Uint8Array ? new Uint8Array(body) : JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}
