import type { INestApplicationContext } from '@nestjs/common';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import { clientIp } from '../security/index.js';
import { ROOT_LOGGER } from './logging.js';
import { Metrics } from './metrics.js';
import { readTraceParent, type Span, type Tracing } from './tracing.js';

const QUIET = /^\/(health|metrics)(\/|$)/;
/** Paths that contain a secret (routing ignores case): the route's pattern is logged instead. */
const SECRET_PATHS = '/provider/';

/** Probes and scrapes are frequent and not logged. */
const isQuiet = (path: string): boolean => QUIET.test(path);

type Handler = (request: Request, response: Response, next: NextFunction) => void;

/** One log line and one measurement per request, without the query string: `sms_get.php` has a password in it. */
export function requestLog(app: INestApplicationContext): Handler {
  // No redaction: the line has no secrets, and looking for them costs six times the writing.
  const logger = app.get<Logger>(ROOT_LOGGER).child({}, { redact: [] });
  const { requests } = app.get(Metrics);
  return (request, response, next) => {
    const begun = performance.now();
    const { path } = request;
    const ip = clientIp(request); // the socket may be closed at the end
    response.on('close', () => {
      const ms = performance.now() - begun;
      const pattern = routePattern(request);
      const { method } = request;
      requests.labels(method, pattern, String(response.statusCode)).observe(ms / 1000);
      if (isQuiet(path)) return;
      const line = {
        requestId: request.id,
        method,
        path: path.toLowerCase().startsWith(SECRET_PATHS) ? pattern : path,
        status: response.statusCode,
        ms: Math.round(ms * 10) / 10,
        ip,
        user: (request as { actor?: { account: { username: string } } }).actor?.account.username,
      };
      if (response.writableFinished) logger.info(line, 'request');
      else logger.warn(line, 'request broken off by the client');
    });
    next();
  };
}

function routePattern(request: Request): string {
  const route = request.route as { path?: unknown } | undefined;
  return typeof route?.path === 'string' ? route.path : 'unmatched';
}

/** Starts a span; enters it after the body reader, whose callbacks run outside. Named by route: paths may hold secrets. */
export function requestSpans(
  tracing: Tracing,
  isCallerTrusted: boolean,
): { begin: RequestHandler; enter: RequestHandler } {
  const spans = new WeakMap<Request, Span>();
  const begin = (request: Request, response: Response, next: NextFunction): void => {
    if (isQuiet(request.path)) return next();
    const given = request.headers['traceparent'];
    const parent = isCallerTrusted && readTraceParent(given) ? String(given) : null;
    const { method } = request;
    const span = tracing.start(method, { kind: 'server', parent, facts: { 'http.request.method': method } });
    spans.set(request, span);
    response.on('close', () => {
      const route = routePattern(request);
      const { statusCode: status } = response;
      span.rename(`${method} ${route}`);
      span.annotate({ 'http.route': route, 'http.response.status_code': status });
      span.end(status >= 500 ? String(status) : undefined);
    });
    next();
  };
  const enter = (request: Request, _response: Response, next: NextFunction): void => {
    const span = spans.get(request);
    if (span) tracing.within(span, next);
    else next();
  };
  return { begin, enter };
}
