import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { NextFunction, Request, Response } from 'express';

const SANE = /^[A-Za-z0-9._:-]{8,64}$/;

/** The client's id of a request where it is a sane one, else one of ours. */
export function requestIdOf({ 'x-request-id': given }: IncomingHttpHeaders): string {
  return typeof given === 'string' && SANE.test(given) ? given : randomUUID();
}

/** Gives every request an id and tells it in `X-Request-Id`; a sane one of the client's is taken over. */
export function requestId(request: Request, response: Response, next: NextFunction): void {
  const id = requestIdOf(request.headers);
  request.id = id;
  response.setHeader('X-Request-Id', id);
  next();
}
