import {
  createServer,
  IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import type { NestApplicationOptions } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import type { Express } from 'express';

/** For a request's headers, from the connection or the previous request on. */
const HEADERS_TIMEOUT_MS = 15_000;
const REQUEST_TIMEOUT_MS = 120_000;
/** Longer than the minute of common load balancers, which would otherwise use a connection that is closing here. */
const KEEP_ALIVE_MS = 65_000;
/** Precision of the first two. */
const CHECKED_EVERY_MS = 5_000;

/** Limits for a client that still sends a body after its answer, so that it can read the answer. */
const LINGER_MS = 3_000;
const LINGER_BYTES = 16 * 1024 * 1024;
/** Interval and amount of discarded reads: read data takes memory until it is collected. */
const DISCARD_EVERY_MS = 20;
const DISCARD_BYTES = 256 * 1024;

/** Connections to close after the answer while the client may still send. */
const ending = new WeakSet<Socket>();

/** Whether a request has a body, of any length. */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** Call before reading a body: sends `100 Continue`, so that clients never send unwanted bodies. */
export function beginBody(request: IncomingMessage, response: ServerResponse | undefined): void {
  if (request.headers.expect !== undefined && response?.headersSent === false) response.writeContinue();
}

/** An answer that closes its connection if it precedes the end of the request's body. */
class EarlyAnswer<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  override writeHead(status: number, ...more: never[]): this {
    endWithAnswer(this.req, this);
    return super.writeHead(status, ...more);
  }
}

/** Closes the connection with an early answer; discards the body briefly first, so that the client can read the answer. */
function endWithAnswer(request: IncomingMessage, response: Pick<ServerResponse, 'shouldKeepAlive'>): void {
  if (request.complete || !hasBody(request)) return;
  // The whole body has arrived, although its end has not been processed.
  if (Number(request.headers['content-length']) <= request.readableLength) return;
  response.shouldKeepAlive = false;
  const { socket } = request;
  if (ending.has(socket)) return;
  ending.add(socket);
  const destroySoon = socket.destroySoon.bind(socket);
  socket.destroySoon = () => {
    if (request.complete) return destroySoon();
    request.once('end', destroySoon);
    discard(request);
  };
}

let lingering: { request: IncomingMessage; until: number; mostBytes: number }[] = [];
let discarding: NodeJS.Timeout | undefined;

/** Discards what a client sends, in rotation: a thousand clients could use all CPU time otherwise. */
function discard(request: IncomingMessage): void {
  const { socket } = request;
  socket.end();
  socket.pause();
  let bytes = 0;
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes < DISCARD_BYTES) return;
    bytes = 0;
    socket.pause();
  });
  // The original `_read` would resume the socket.
  request._read = () => undefined;
  request.resume();
  lingering.push({ request, until: performance.now() + LINGER_MS, mostBytes: socket.bytesRead + LINGER_BYTES });
  discarding ??= setInterval(discardSome, DISCARD_EVERY_MS);
}

function discardSome(): void {
  const now = performance.now();
  const open = lingering.filter(({ request: { socket }, until, mostBytes }) => {
    if (now >= until || socket.bytesRead > mostBytes) socket.destroy();
    return !socket.destroyed;
  });
  const [next, ...others] = open;
  lingering = next ? [...others, next] : [];
  if (next) {
    const { socket } = next.request;
    socket.resume();
    setImmediate(() => socket.pause());
  }
  if (lingering.length > 0) return;
  clearInterval(discarding);
  discarding = undefined;
}

/** A server that reads no bodies itself, allows early answers and has timeouts. */
export function createHttpServer(handler: RequestListener, classes: ServerOptions = {}): Server {
  const options = {
    IncomingMessage,
    ServerResponse: EarlyAnswer,
    connectionsCheckingInterval: CHECKED_EVERY_MS,
    ...classes,
  };
  const server = createServer(options as ServerOptions, (request, response) => {
    // Ignore requests after the end of a connection.
    if (!ending.has(request.socket)) handler(request, response);
  });
  server.on('checkContinue', (request, response) => server.emit('request', request, response));
  server.headersTimeout = HEADERS_TIMEOUT_MS;
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  return server;
}

/**
 * Creates requests and answers with Express's prototypes. Changing them later, as Express does, gives each object its own V8
 * hidden class (nodejs/node#37457): half of a small request's time in Express (docs/decisions/0065).
 */
export class ExpressServer extends ExpressAdapter {
  override initHttpServer(options: NestApplicationOptions): void {
    if (options.httpsOptions || options.forceCloseConnections) throw new Error('not an option of this server');
    const app = this.getInstance<Express>();
    class ExpressRequest extends IncomingMessage {}
    class ExpressResponse extends ServerResponse {
      // `super` is the prototype of Express.
      override writeHead(status: number, ...more: never[]): this {
        endWithAnswer(this.req, this);
        return super.writeHead(status, ...more);
      }
    }
    // Insert Express's prototypes; Express itself changes a prototype only when it differs.
    Object.setPrototypeOf(ExpressRequest.prototype, app.request);
    Object.setPrototypeOf(ExpressResponse.prototype, app.response);
    Object.assign(app, { request: ExpressRequest.prototype, response: ExpressResponse.prototype });
    const classes = { IncomingMessage: ExpressRequest, ServerResponse: ExpressResponse };
    this.httpServer = createHttpServer(app as RequestListener, classes as ServerOptions);
  }
}
