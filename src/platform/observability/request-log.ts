import type { INestApplicationContext } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import type { Logger } from 'pino';
import { clientIp } from '../security/index.js';
import { ROOT_LOGGER } from './logging.js';
import { Metrics } from './metrics.js';

const QUIET = /^\/(health|metrics)(\/|$)/;
/** Paths with a secret in them (routing ignores their case) are logged as their route's pattern. */
const SECRET_PATHS = '/provider/';

/** Probes and scrapes, of which there are many and which tell nothing. */
export const isQuiet = (path: string): boolean => QUIET.test(path);

type Handler = (request: Request, response: Response, next: NextFunction) => void;

/** One line and one measurement a request. The query string is never logged: `sms_get.php` has a password in it. */
export function requestLog(app: INestApplicationContext): Handler {
  // no field of the line is a secret, and looking for secrets costs six times what writing the line does
  const logger = app.get<Logger>(ROOT_LOGGER).child({}, { redact: [] });
  const { requests } = app.get(Metrics);
  return (request, response, next) => {
    const begun = performance.now();
    const { path } = request;
    const ip = clientIp(request); // at the end the socket may be gone, and its address with it
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

/** The pattern of the route that answered. */
export function routePattern(request: Request): string {
  const route = request.route as { path?: unknown } | undefined;
  return typeof route?.path === 'string' ? route.path : 'unmatched';
}
