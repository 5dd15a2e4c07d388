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

/** Express removes headers of these answers. */
const BODILESS: readonly number[] = [204, 205, 304];
/** Characters; longer texts are encoded once instead of measured and encoded. */
const SHORT = 1_000;

/** Writes JSON like Express, without settings, type and ETag look-ups. With ETags, `If-None-Match: *` would cause a 304. */
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

/** The client's request id if valid, else a new one. */
export function requestIdOf({ 'x-request-id': given }: IncomingHttpHeaders): string {
  return typeof given === 'string' && SANE.test(given) ? given : randomUUID();
}

function requestId(request: Request, response: Response, next: NextFunction): void {
  const id = requestIdOf(request.headers);
  request.id = id;
  response.setHeader('X-Request-Id', id);
  next();
}

/** One year, the minimum of browsers' preload lists; without subdomains, which may not have TLS. */
export const HSTS = ['Strict-Transport-Security', 'max-age=31536000'] as const;

/** Installs the layers before the routes. Needs an application with `bodyParser: false`; call before `init` or `listen`. */
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

/** Headers computed once. No `upgrade-insecure-requests`, which breaks Swagger UI over HTTP; HSTS only with TLS. */
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

/** Skips the parser for requests without cookies. */
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

/** Value of `TRUST_PROXY`: empty = none, a number of hops, `true`, or a comma-separated list of addresses and ranges. */
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

/** Counts callbacks before their body is read: any caller may send one. */
function meterCarriers(meter: CarrierMeter) {
  return (request: MeteredRequest, _response: Response, next: NextFunction): Promise<void> | void => {
    const path = request.path.toLowerCase();
    if (!CARRIER_PATHS.some((prefix) => path.startsWith(prefix))) return next();
    request.metered = true;
    return meter.checkAddress(clientIp(request)).then((seconds) => next(seconds > 0 ? tooMany(seconds) : undefined));
  };
}

type Trust = (address: string, distance: number) => boolean;

/** Client address and scheme by `TRUST_PROXY`, like Express, for other servers. @throws InvalidEnvironment */
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
