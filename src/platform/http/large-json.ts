import type { IncomingHttpHeaders } from 'node:http';
import {
  type CallHandler,
  type ExecutionContext,
  Inject,
  Injectable,
  type NestInterceptor,
  UseInterceptors,
} from '@nestjs/common';
import { lastValueFrom, type Observable, of } from 'rxjs';
import { KeyedSemaphore } from '../concurrency/index.js';
import { ENVIRONMENT, type Environment } from '../config/index.js';
import { clientIp, type MeteredRequest, networksOf, tooMany } from '../security/index.js';
import { Bodies } from './bodies.js';

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
 * Reads a body that may be larger than others. Bodies over `BODY_LIMIT` are taken a few at a time, until they are answered,
 * because they are kept in memory for so long. Others wait for them, so they have to come at a pace.
 */
@Injectable()
class LargeJsonReader implements NestInterceptor {
  constructor(
    private readonly bodies: Bodies,
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'BODY_LIMIT'>,
  ) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const request = context.switchToHttp().getRequest<MeteredRequest>();
    const username = request.actor?.account.username;
    if (username === undefined) throw new Error('@LargeJson on a route without @Authenticated');
    if (!mayBeLarge(request.headers, this.environment.BODY_LIMIT)) {
      await this.bodies.readLarge(request, username, false);
      return next.handle();
    }
    const answer = async (): Promise<unknown> => {
      await this.bodies.readLarge(request, username, true);
      return lastValueFrom(next.handle());
    };
    return of(await LARGE.runOf(sharersOf(request), answer));
  }
}

/** The route takes JSON up to the limit of its path (reference/requests#bodies), whatever `BODY_LIMIT` is. */
export const LargeJson = (): MethodDecorator => UseInterceptors(LargeJsonReader);
