import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { readTraceParent, type Span, type Tracing } from './tracing.js';
import { isQuiet, routePattern } from './request-log.js';

/**
 * A span a request, in two parts: the first begins it, the second, behind the reader of bodies, makes it that of the work;
 * what reads a body calls back from outside of it. The route's pattern stands for the path, which may hold secrets.
 * @param isCallerTrusted whether the trace of a caller's `traceparent` is gone on with
 */
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
      span.note({ 'http.route': route, 'http.response.status_code': status });
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
