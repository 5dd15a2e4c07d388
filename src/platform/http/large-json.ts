import type { IncomingHttpHeaders } from 'node:http';
import { promisify } from 'node:util';
import {
  applyDecorators,
  type CallHandler,
  type ExecutionContext,
  Inject,
  Injectable,
  type NestInterceptor,
  UseInterceptors,
} from '@nestjs/common';
import type { Request, RequestHandler, Response } from 'express';
import { lastValueFrom, type Observable, of } from 'rxjs';
import { KeyedSemaphore } from '../concurrency/index.js';
import { ENVIRONMENT, type Environment } from '../config/index.js';
import { clientIp, tooMany } from '../security/index.js';
import { lateReader } from './body.js';

/** A body of 64 MB is several times that once it is parsed: so many of them at once, and of one address. */
const AT_ONCE = { permits: 3, each: 2, patienceMs: 30_000, waiting: 8 };
const RETRY_SECONDS = 5;

/** Of all routes together: each module that has such a route makes a reader of its own. */
const LARGE = new KeyedSemaphore<string>(AT_ONCE, () => tooMany(RETRY_SECONDS));

/** Whether a body may hold more than `limit` bytes: of a compressed one, or one in chunks, no length tells. */
export function mayBeLarge(headers: IncomingHttpHeaders, limit: number): boolean {
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? '';
  const isPlain = encoding === '' || encoding === 'identity';
  return !(isPlain && Number(headers['content-length'] ?? Number.NaN) <= limit);
}

/**
 * Reads a body that may be larger than others after the guards have passed: who has no token sends no large body. Bodies
 * over `BODY_LIMIT` are taken a few at a time, until they are answered, because they are kept in memory for so long.
 */
@Injectable()
class LargeJsonReader implements NestInterceptor {
  private readonly read: (request: Request, response: Response) => Promise<void>;

  constructor(@Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'BODY_LIMIT'>) {
    const reader: RequestHandler = lateReader();
    this.read = promisify((request: Request, response: Response, done: (error?: unknown) => void) => {
      reader(request, response, done);
    });
  }

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const answer = async (): Promise<unknown> => {
      await this.read(request, http.getResponse<Response>());
      return lastValueFrom(next.handle());
    };
    const isLarge = mayBeLarge(request.headers, this.environment.BODY_LIMIT);
    return of(await (isLarge ? LARGE.run(clientIp(request), answer) : answer()));
  }
}

/** The route takes JSON up to the limit of its path (reference/requests#bodies), whatever `BODY_LIMIT` is. */
export const LargeJson = (): MethodDecorator => applyDecorators(UseInterceptors(LargeJsonReader));
