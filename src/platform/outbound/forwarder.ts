import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import { Agent, type Dispatcher } from 'undici';
import { hasBody } from '../http/index.js';
import { OutboundError } from './outbound-error.js';

const CONNECT_TIMEOUT_MS = 2_000;
/** As long as an API gives a request. */
const ANSWER_TIMEOUT_MS = 120_000;
/** Less than the 65 s after which an API ends a connection at rest. */
const KEEP_ALIVE_MS = 15_000;

/** Between two hosts, not from end to end (RFC 9110, 7.6.1); `expect` is met by this side. */
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

/** Where a request goes on, and as what. */
export interface Forwarding {
  origin: string;
  /** with the query */
  path: string;
  /** headers that stand in place of the request's own of these names, in lower case; null = none */
  headers: Readonly<Record<string, string | null>>;
  /** the body where it has been read; absent: it is streamed */
  body?: Buffer | undefined;
  /** called once its answer begins */
  answered?: () => void;
}

/**
 * Hands requests on to another HTTP server and streams both ways, at the pace of the slower side. Nothing is tried again,
 * nothing is kept.
 */
export class Forwarder {
  private readonly agent = new Agent({
    pipelining: 1,
    keepAliveTimeout: KEEP_ALIVE_MS,
    headersTimeout: ANSWER_TIMEOUT_MS,
    bodyTimeout: 0, // progress is told as it happens, which may be seldom
    connect: { timeout: CONNECT_TIMEOUT_MS },
  });

  /**
   * Resolves when the answer has gone out, has broken off on the way, or has no reader left.
   * @throws OutboundError when there is none to send; `sent` says whether the request may have arrived
   */
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
          response.destroy(); // the client must see that the answer is not whole
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
          // a stream of events begins before its first one
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
          // else the certificate would be judged by the `Host` that the client chose
          servername: new URL(forwarding.origin).hostname,
        };
        this.agent.dispatch(options, handler);
      } catch (error) {
        fail(error);
      }
    });
  }

  /** One request with a body of its own; for questions beside the requests. @throws OutboundError */
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

/** A stream of its own, because undici destroys what it was given, and with the request the client's connection. */
function uploadOf(request: IncomingMessage): { stream: PassThrough; letGo: () => void } {
  const stream = new PassThrough();
  const end = (): void => {
    if (!request.complete) stream.destroy(new OutboundError('interrupted', true));
  };
  stream.on('error', () => undefined); // told by the answer that does not come
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
    // the first one counts; a second is no reason to take the server for unreachable
    if (lower === 'host' && hasHost) continue;
    hasHost ||= lower === 'host';
    headers.push(name, request.rawHeaders[i + 1] ?? '');
  }
  for (const [name, value] of Object.entries(own)) if (value !== null) headers.push(name, value);
  return headers;
}

const NONE: ReadonlySet<string> = new Set();

/** Headers that `Connection` names are of the hop too. */
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
