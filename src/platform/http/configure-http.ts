import { MethodNotAllowedException } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import cookieParser from 'cookie-parser';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import helmet from 'helmet';
import { type Environment, InvalidEnvironment } from '../config/index.js';
import { Drain, requestLog, requestSpans, TRACING, type Tracing } from '../observability/index.js';
import { CARRIER_PATHS, CarrierMeter, clientIp, type MeteredRequest, tooMany } from '../security/index.js';
import { WARNINGS_HEADER } from './answer-warnings.js';
import { protocolErrors } from './request-errors.js';
import { plainAnswers } from './plain-answers.js';
import { requestId } from './request-id.js';
import { RouteTable } from './route-table.js';

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
