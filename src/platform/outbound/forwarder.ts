import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import { Agent, type Dispatcher } from 'undici';
import { hasBody } from '../http/index.js';
import { OutboundError } from './outbound-error.js';

const CONNECT_TIMEOUT_MS = 2_000;
/** The same as the API's request timeout. */
const ANSWER_TIMEOUT_MS = 120_000;
/** Below 65 s, when an API closes an idle connection. */
const KEEP_ALIVE_MS = 15_000;

/** Not forwarded (RFC 9110, 7.6.1); `expect` is handled here. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
]);

export interface Forwarding {
  origin: string;
  path: string;
  /** overrides of the request's headers, names in lower case; null = remove */
  headers: Readonly<Record<string, string | null>>;
  /** the body if already read; absent: streamed */
  body?: Buffer | undefined;
  /** called when the answer begins */
  answered?: () => void;
}

/** Forwards requests to another HTTP server, streaming with backpressure both ways. No retries, no cache. */
export class Forwarder {
  private readonly agent = new Agent({
    pipelining: 1,
    keepAliveTimeout: KEEP_ALIVE_MS,
    headersTimeout: ANSWER_TIMEOUT_MS,
    bodyTimeout: 0, // event streams may be silent for long
    connect: { timeout: CONNECT_TIMEOUT_MS },
  });

  /** Resolves when the answer was sent, broke off or lost its reader. @throws OutboundError; `sent`: may have arrived */
  forward(request: IncomingMessage, response: ServerResponse, forwarding: Forwarding): Promise<void> {
    if (response.destroyed) return Promise.resolve();
    const upload = forwarding.body === undefined && hasBody(request) ? uploadOf(request) : null;
    return new Promise((resolve, reject) => {
      let sent = false;
      let controller: Dispatcher.DispatchController | null = null;
      const gone = (): void => {
        if (response.writableFinished) return;
        if (controller && !controller.aborted) controller.abort(new OutboundError('interrupted', true));
        resolve();
      };
      response.once('close', gone);
      const fail = (error: unknown): void => {
        response.off('close', gone);
        if (response.headersSent || response.destroyed) {
          response.destroy(); // the client must detect an incomplete answer
          resolve();
        } else reject(new OutboundError(sent ? 'interrupted' : 'unreachable', sent, error));
      };
      const handler: Dispatcher.DispatchHandler = {
        onRequestStart(begun) {
          controller = begun;
          if (response.destroyed) return begun.abort(new OutboundError('interrupted', false));
          sent = true;
        },
        onResponseStart(_controller, status, headers) {
          if (status < 200) return;
          forwarding.answered?.();
          response.writeHead(status, endToEnd(headers));
          // An event stream sends its headers before the first event.
          if (String(headers['content-type']).startsWith('text/event-stream')) response.flushHeaders();
        },
        onResponseData(reading, chunk) {
          if (response.write(chunk)) return;
          reading.pause();
          response.once('drain', () => reading.resume());
        },
        onResponseEnd() {
          response.off('close', gone);
          upload?.letGo();
          response.end();
          resolve();
        },
        onResponseError(_controller, error) {
          upload?.letGo();
          fail(error);
        },
      };
      try {
        const options = {
          origin: forwarding.origin,
          path: forwarding.path,
          method: request.method as Dispatcher.HttpMethod,
          headers: headersOf(request, forwarding),
          body: forwarding.body ?? upload?.stream ?? null,
          // Otherwise the certificate would be checked against the client's `Host`.
          servername: new URL(forwarding.origin).hostname,
        };
        this.agent.dispatch(options, handler);
      } catch (error) {
        fail(error);
      }
    });
  }

  /** Sends a request with its own body, for queries of the front itself. @throws OutboundError */
  async ask(origin: string, path: string, headers: Record<string, string>, body: string): Promise<unknown> {
    try {
      const signal = AbortSignal.timeout(CONNECT_TIMEOUT_MS);
      const options = { origin, path, method: 'POST', headers, body, signal } as const;
      const answer = await this.agent.request(options);
      const text = await answer.body.text();
      if (answer.statusCode !== 200) throw new Error(`answered ${answer.statusCode}`);
      return JSON.parse(text) as unknown;
    } catch (error) {
      throw new OutboundError('interrupted', true, error);
    }
  }

  async close(): Promise<void> {
    await this.agent.destroy();
  }
}

/** A separate stream: undici destroys its input, which would close the client's connection. */
function uploadOf(request: IncomingMessage): { stream: PassThrough; letGo: () => void } {
  const stream = new PassThrough();
  const end = (): void => {
    if (!request.complete) stream.destroy(new OutboundError('interrupted', true));
  };
  stream.on('error', () => undefined); // the missing answer reports it
  request.once('close', end);
  request.pipe(stream);
  return {
    stream,
    letGo: () => {
      request.off('close', end);
      request.unpipe(stream);
      request.resume();
    },
  };
}

function headersOf(request: IncomingMessage, { headers: own, body }: Forwarding): string[] {
  const named = connectionNames(request.headers.connection);
  const headers: string[] = [];
  let hasHost = false;
  for (let i = 0; i < request.rawHeaders.length; i += 2) {
    const name = request.rawHeaders[i] ?? '';
    const lower = name.toLowerCase();
    if (HOP_BY_HOP.has(lower) || lower in own || named.has(lower)) continue;
    if (body !== undefined && lower === 'content-length') continue;
    // Only the first `host` counts; a second one must not fail as an unreachable server.
    if (lower === 'host' && hasHost) continue;
    hasHost ||= lower === 'host';
    headers.push(name, request.rawHeaders[i + 1] ?? '');
  }
  for (const [name, value] of Object.entries(own)) if (value !== null) headers.push(name, value);
  return headers;
}

const NONE: ReadonlySet<string> = new Set();

/** Headers named by `Connection` are hop-by-hop too. */
function connectionNames(connection: string | undefined): ReadonlySet<string> {
  if (connection === undefined || /^\s*(keep-alive|close)\s*$/i.test(connection)) return NONE;
  return new Set(connection.split(',').map((name) => name.trim().toLowerCase()));
}

function endToEnd(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const named = connectionNames(headers.connection);
  const kept: IncomingHttpHeaders = {};
  for (const [name, value] of Object.entries(headers)) {
    if (!HOP_BY_HOP.has(name) && !named.has(name) && value !== undefined) kept[name] = value;
  }
  return kept;
}
