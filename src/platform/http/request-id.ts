import { randomUUID } from 'node:crypto';
import type { NextFunction, Request, Response } from 'express';

const SANE = /^[A-Za-z0-9._:-]{8,64}$/;

/** Gives every request an id and tells it in `X-Request-Id`; a sane one of the client's is taken over. */
export function requestId(request: Request, response: Response, next: NextFunction): void {
  const given = request.headers['x-request-id'];
  const id = typeof given === 'string' && SANE.test(given) ? given : randomUUID();
  request.id = id;
  response.setHeader('X-Request-Id', id);
  next();
}
