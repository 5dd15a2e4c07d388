import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { MethodNotAllowedException } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import cookieParser from 'cookie-parser';
import express, {
  type Application,
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response,
} from 'express';
import helmet from 'helmet';
import { type Environment, InvalidEnvironment } from '../config/index.js';
import { Drain, requestLog, requestSpans, type Tracing, TRACING } from '../observability/index.js';
import { CARRIER_PATHS, CarrierMeter, clientIp, type MeteredRequest, tooMany } from '../security/index.js';
import { protocolErrors } from './http.errors.js';
import { RouteTable } from './route-table.js';
import { WARNINGS_HEADER } from './warnings.js';

/** Statuses whose answers have no body; Express knows which headers they lose. */
const BODILESS: readonly number[] = [204, 205, 304];
/** Characters; longer ones are made into bytes once, instead of being measured and made. */
const SHORT = 1_000;

/**
 * Writes answers of JSON as Express would, without what this application has no use for: to look up its settings, to read the
 * type again that has just been set, and to compare tags, of which answers have none here. Without tags Express would take
 * `If-None-Match: *` for a hit, and send 304 without a body. Said once of all requests and answers, not of each.
 */
export function plainAnswers(app: NestExpressApplication): void {
  app.disable('etag');
  const { request, response } = app.getHttpAdapter().getInstance();
  Object.defineProperty(request, 'fresh', { value: false });
  const ordinary = response.json;
  response.json = function json(this: Response, answer: unknown): Response {
    const text = JSON.stringify(answer) as string | undefined;
    if (text === undefined || BODILESS.includes(this.statusCode) || this.hasHeader('Content-Type')) {
      return ordinary.call(this, answer);
    }
    const body = text.length < SHORT ? text : Buffer.from(text);
    this.setHeader('Content-Type', 'application/json; charset=utf-8');
    this.setHeader('Content-Length', Buffer.byteLength(body));
    return this.end(body);
  };
}

const SANE = /^[A-Za-z0-9._:-]{8,64}$/;

/** The client's id of a request where it is a sane one, else one of ours. */
export function requestIdOf({ 'x-request-id': given }: IncomingHttpHeaders): string {
  return typeof given === 'string' && SANE.test(given) ? given : randomUUID();
}

/** Gives every request an id and tells it in `X-Request-Id`; a sane one of the client's is taken over. */
function requestId(request: Request, response: Response, next: NextFunction): void {
  const id = requestIdOf(request.headers);
  request.id = id;
  response.setHeader('X-Request-Id', id);
  next();
}

/** For a year, as browsers' preload lists ask for at the least; of other hosts of the domain we know nothing. */
export const HSTS = ['Strict-Transport-Security', 'max-age=31536000'] as const;

/**
 * Puts the technical layers before the routes. The application must be created with `bodyParser: false`; call this
 * before `init` or `listen`.
 */
export function configureHttp(app: NestExpressApplication, environment: Environment): void {
  app.disable('x-powered-by');
  plainAnswers(app);
  trustProxies(app, environment.TRUST_PROXY);
  app.use(requestId);
  const tracing = app.get<Tracing>(TRACING);
  const spans = tracing.isOn ? requestSpans(tracing, environment.TRUST_TRACEPARENT) : null;
  if (spans) app.use(spans.begin);
  app.use(requestLog(app));
  const drain = app.get(Drain);
  app.use((_request: Request, response: Response, next: NextFunction) => {
    drain.watch(response);
    next();
  });
  app.use(securityHeaders(environment));
  if (environment.CORS_ORIGINS.length > 0) {
    app.enableCors({
      origin: environment.CORS_ORIGINS,
      credentials: true,
      exposedHeaders: ['X-Request-Id', 'Retry-After', WARNINGS_HEADER],
      maxAge: 600,
    });
  }
  app.use(refuseHead(app.get(RouteTable)));
  app.use(cookies());
  app.use(meterCarriers(app.get(CarrierMeter)));
  if (spans) app.use(spans.enter);
}

/**
 * What helmet says is the same for every request, so it is asked once. `upgrade-insecure-requests` would break Swagger UI over
 * plain HTTP. Browsers are told to stay with TLS only where there is TLS. No answer is stored on the way unless its handler
 * says so: any of them may hold a token, a secret, or what only its reader may see.
 */
function securityHeaders({ PUBLIC_URL }: Pick<Environment, 'PUBLIC_URL'>): RequestHandler {
  const isPublicSecure = PUBLIC_URL?.startsWith('https:') ?? false;
  const headers = new Map([['Cache-Control', 'no-store']]);
  const said = { setHeader: (name: string, value: string) => headers.set(name, value), removeHeader: () => undefined };
  const helmeted = helmet({
    contentSecurityPolicy: {
      directives: { upgradeInsecureRequests: null },
    },
    strictTransportSecurity: false,
  });
  helmeted({} as Request, said as unknown as Response, () => undefined);
  return (request, response, next) => {
    for (const [name, value] of headers) response.setHeader(name, value);
    if (isPublicSecure || request.secure) response.setHeader(...HSTS);
    next();
  };
}

/** Most requests have none, and need no parser for that. */
function cookies(): RequestHandler {
  const parse = cookieParser();
  return (request, response, next) => (request.headers.cookie === undefined ? next() : parse(request, response, next));
}

function trustProxies(app: NestExpressApplication, text: string): void {
  try {
    app.set('trust proxy', trustedProxies(text));
  } catch {
    throw new InvalidEnvironment(
      `The environment is not valid:\n  TRUST_PROXY: "${text}" is neither a number of hops nor a list of addresses`,
    );
  }
}

/** Empty: no proxy is trusted. Otherwise a number of hops, `true`, or a comma-separated list of addresses and ranges. */
export function trustedProxies(text: string): boolean | number | string[] {
  if (text === '' || text === 'false') return false;
  if (text === 'true') return true;
  return /^\d+$/.test(text) ? Number(text) : text.split(',').map((item) => item.trim());
}

function refuseHead(routes: RouteTable) {
  return (request: Request, response: Response, next: NextFunction): void => {
    if (request.method !== 'HEAD' || !routes.refusesHead(request.path)) {
      next();
      return;
    }
    response.setHeader('Allow', routes.methodsOf(request.path).join(', '));
    next(new MethodNotAllowedException(protocolErrors.method.message));
  };
}

/** Callbacks are open to all until their proof is judged, which takes the whole body: they are counted before that. */
function meterCarriers(meter: CarrierMeter) {
  return (request: MeteredRequest, _response: Response, next: NextFunction): Promise<void> | void => {
    const path = request.path.toLowerCase();
    if (!CARRIER_PATHS.some((prefix) => path.startsWith(prefix))) return next();
    request.metered = true;
    return meter.checkAddress(clientIp(request)).then((seconds) => next(seconds > 0 ? tooMany(seconds) : undefined));
  };
}

type Trust = (address: string, distance: number) => boolean;

/**
 * Who asks a server that is no Nest application, and over which scheme, as `TRUST_PROXY` has it: what Express says of its requests.
 * @throws InvalidEnvironment for a value that is none
 */
export function clientAddressReader(text: string): (request: IncomingMessage) => { ip: string; proto: string } {
  const trust = trustOf(text);
  return (request) => {
    const peer = request.socket.remoteAddress ?? 'unknown';
    const forwarded = textOf(request.headers['x-forwarded-for']).split(',').reverse();
    let ip = peer;
    let distance = 0;
    for (const hop of forwarded) {
      const next = hop.trim();
      if (next === '' || !trust(ip, distance)) break;
      ip = next;
      distance += 1;
    }
    const proto = trust(peer, 0) ? textOf(request.headers['x-forwarded-proto']).split(',')[0]?.trim() : undefined;
    return { ip: clientIp({ ip }), proto: proto === 'https' ? 'https' : 'http' };
  };
}

function trustOf(text: string): Trust {
  const app: Application = express();
  try {
    app.set('trust proxy', trustedProxies(text));
  } catch {
    throw new InvalidEnvironment(
      `The environment is not valid:\n  TRUST_PROXY: "${text}" is neither a number of hops nor a list of addresses`,
    );
  }
  return app.get('trust proxy fn') as Trust;
}

const textOf = (value: string | string[] | undefined): string =>
  Array.isArray(value) ? value.join(',') : (value ?? '');
