import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Response } from 'express';

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
