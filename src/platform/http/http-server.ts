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

/** Of the head of a request, from the connection or from the request before it. */
const HEADERS_TIMEOUT_MS = 15_000;
const REQUEST_TIMEOUT_MS = 120_000;
/** Longer than the minute of common balancers, which would send a request into a connection that is being closed here. */
const KEEP_ALIVE_MS = 65_000;
/** How exact the first two are. */
const CHECKED_EVERY_MS = 5_000;

/** A client that still sends a body after its answer may go on this long and this much, so that it can read the answer. */
const LINGER_MS = 3_000;
const LINGER_BYTES = 16 * 1024 * 1024;
/** So often one of those connections is read, and so much of it: what was read costs memory until it is collected. */
const DISCARD_EVERY_MS = 20;
const DISCARD_BYTES = 256 * 1024;

/** Connections that end with an answer while the client may still send. */
const ending = new WeakSet<Socket>();

/** Whether a request has a body, however long. */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/**
 * To be called before a body is read: a client that waits for `100 Continue` sends it only now, and never sends one that is
 * not wanted.
 */
export function beginBody(request: IncomingMessage, response: ServerResponse | undefined): void {
  if (request.headers.expect !== undefined && response?.headersSent === false) response.writeContinue();
}

/** An answer that ends its connection when it comes before the end of the request's body. */
class EarlyAnswer<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  override writeHead(status: number, ...more: never[]): this {
    endWithAnswer(this.req, this);
    return super.writeHead(status, ...more);
  }
}

/**
 * To be called when the head of an answer is written. What has not been read of the body would be taken for the next
 * request, so the connection ends; the rest is thrown away for a moment, because a client that is cut off while it sends
 * does not read its answer.
 */
function endWithAnswer(request: IncomingMessage, response: Pick<ServerResponse, 'shouldKeepAlive'>): void {
  if (request.complete || !hasBody(request)) return;
  // all of it has come with the head, though its end is not yet seen
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

/** Connections whose clients still send, those first that have waited longest. */
let lingering: { request: IncomingMessage; until: number; mostBytes: number }[] = [];
let discarding: NodeJS.Timeout | undefined;

/** Throws away what a client still sends. In turns, since a thousand of them could otherwise take all the time of the process. */
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
  // it would have the socket read on by itself
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

/** A server that reads no body by itself, answers before the end of one safely, and waits for its clients within bounds. */
export function createHttpServer(handler: RequestListener, classes: ServerOptions = {}): Server {
  const options = {
    IncomingMessage,
    ServerResponse: EarlyAnswer,
    connectionsCheckingInterval: CHECKED_EVERY_MS,
    ...classes,
  };
  const server = createServer(options as ServerOptions, (request, response) => {
    // what follows on a connection that has ended is no request
    if (!ending.has(request.socket)) handler(request, response);
  });
  server.on('checkContinue', (request, response) => server.emit('request', request, response));
  server.headersTimeout = HEADERS_TIMEOUT_MS;
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  return server;
}

/**
 * Express on a server whose requests and answers are what Express makes of them from the start. Express gives each of them
 * another prototype otherwise, whereupon V8 makes a hidden class for each alone (nodejs/node#37457, expressjs/express#5998):
 * that costs a small request more than half of its time in Express (docs/decisions/0065). TLS is the business of what stands
 * in front.
 */
export class ExpressServer extends ExpressAdapter {
  override initHttpServer(options: NestApplicationOptions): void {
    if (options.httpsOptions || options.forceCloseConnections) throw new Error('not an option of this server');
    const app = this.getInstance<Express>();
    class ExpressRequest extends IncomingMessage {}
    class ExpressResponse extends ServerResponse {
      // `super` is what Express has, which stands between this class and Node's
      override writeHead(status: number, ...more: never[]): this {
        endWithAnswer(this.req, this);
        return super.writeHead(status, ...more);
      }
    }
    // Between these classes and Node's stand the prototypes of Express, which only sets one that is another one.
    Object.setPrototypeOf(ExpressRequest.prototype, app.request);
    Object.setPrototypeOf(ExpressResponse.prototype, app.response);
    Object.assign(app, { request: ExpressRequest.prototype, response: ExpressResponse.prototype });
    const classes = { IncomingMessage: ExpressRequest, ServerResponse: ExpressResponse };
    this.httpServer = createHttpServer(app as RequestListener, classes as ServerOptions);
  }
}
