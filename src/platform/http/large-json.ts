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
import { clientIp, type MeteredRequest, networksOf, tooMany } from '../security/index.js';
import { lateReader } from './body.js';
import { inPace } from './body-pace.js';
import { ApiErrorsOf } from './error-table.js';
import { bodyErrors } from './request-errors.js';

/** A body of 64 MB is several times that once it is parsed: so many of them at once, and of one account or network. */
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

/** Who has a share: neither accounts in one network nor addresses of one account keep all others waiting. */
function sharersOf(request: MeteredRequest): string[] {
  const ip = clientIp(request);
  return [`account:${request.actor?.account.username ?? ''}`, `network:${networksOf(ip)[0]?.name ?? ip}`];
}

/**
 * Reads a body that may be larger than others after the guards have passed: who has no token sends no large body. Bodies
 * over `BODY_LIMIT` are taken a few at a time, until they are answered, because they are kept in memory for so long. Others
 * wait for them, so they have to come at a pace.
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
    const [request, response] = [http.getRequest<MeteredRequest>(), http.getResponse<Response>()];
    if (!mayBeLarge(request.headers, this.environment.BODY_LIMIT)) {
      await this.read(request, response);
      return next.handle();
    }
    const answer = async (): Promise<unknown> => {
      await inPace(request, response, () => this.read(request, response));
      return lastValueFrom(next.handle());
    };
    return of(await LARGE.runOf(sharersOf(request), answer));
  }
}

/** The route takes JSON up to the limit of its path (reference/requests#bodies), whatever `BODY_LIMIT` is. */
export const LargeJson = (): MethodDecorator =>
  applyDecorators(UseInterceptors(LargeJsonReader), ApiErrorsOf('upload', bodyErrors.tooSlow));
