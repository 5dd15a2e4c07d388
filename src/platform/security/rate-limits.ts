import { type CanActivate, type CustomDecorator, type ExecutionContext, Injectable, SetMetadata } from '@nestjs/common';
import { ThrottlerGuard, type ThrottlerStorage } from '@nestjs/throttler';
import type { Request } from 'express';
import type { DocumentedError } from '../../kernel/define-error.js';
import { clientIp, networksOf } from './client-ip.js';
import { RateCounters } from './rate-counters.js';
import { RouteRules } from './route-rules.js';
import { tooMany } from './too-many.js';
import { UserMeter } from './request-meters.js';

/**
 * `broadcast`: BROADCAST_RATE_LIMIT per 60 s, username and IP, each endpoint by itself, over all instances.
 * `user` (every route that declares nothing): USER_RATE_LIMIT per minute per user or IP.
 * `carrier` (callbacks, and the audio that carriers fetch): CARRIER_RATE_LIMIT per minute and address, applied before the
 * body is read (`CARRIER_PATHS`), because a caller without a right must not make us read anything.
 * `none`: for what costs nothing or wants a token of its own.
 */
export type RateRule = 'broadcast' | 'user' | 'carrier' | 'none';

/** Beginnings of the paths whose routes declare `carrier`. */
export const CARRIER_PATHS = ['/provider/', '/audio/'];

export const RATE_LIMIT_METADATA = 'switchboard:rate-limit';

/** What a request over its limit is answered, for the document of every route that declares it. */
export const rateLimitErrors: Readonly<Record<Exclude<RateRule, 'none'>, DocumentedError>> = {
  broadcast: tooMany.because('more than BROADCAST_RATE_LIMIT (10) requests in 60 seconds per username and IP'),
  user: tooMany.because('over USER_RATE_LIMIT a minute'),
  carrier: tooMany.because('over CARRIER_RATE_LIMIT a minute from one address'),
};

/** Declares the limit of a controller or handler. It is applied after authentication and before validation. */
export const RateLimited = (rule: RateRule): CustomDecorator => SetMetadata(RATE_LIMIT_METADATA, rule);

/** A request as limits see it: authentication has put the acting account on it. */
export interface MeteredRequest extends Request {
  actor?: { account: { username: string } };
  /** a limit has been applied, so the error filter need not count this request */
  metered?: boolean;
}

/** Lets @nestjs/throttler count in `RateCounters`, whose windows slide: no further punishment after them. */
export const throttlerStorage = (counters: RateCounters): ThrottlerStorage => ({
  async increment(key, ttl, limit) {
    const { allowed, retryAfterSeconds } = await counters.hit(key, limit, ttl / 1000);
    return {
      totalHits: allowed ? limit : limit + 1,
      timeToExpire: retryAfterSeconds,
      isBlocked: !allowed,
      timeToBlockExpire: retryAfterSeconds,
    };
  },
});

/** The broadcasts' limit. The key is the handler, the acting username (body username too) and the address. */
@Injectable()
export class BroadcastThrottler extends ThrottlerGuard {
  /** The one limit of the module's options, for whatever route asks: what single routes could say of it is not looked for. */
  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const { limit, ttl } = this.throttlers[0] as { limit: number; ttl: number };
    if (limit === 0) return true;
    const request = context.switchToHttp().getRequest<MeteredRequest>();
    const endpoint = `${context.getClass().name}.${context.getHandler().name}`;
    const name = `broadcast:${endpoint}:${request.actor?.account.username ?? ''}`;
    for (const network of networksOf(clientIp(request))) {
      const [key, most] = [`${name}:${network.name}`, limit * network.share];
      const record = await this.storageService.increment(key, ttl, most, ttl, endpoint);
      if (record.isBlocked) throw tooMany(record.timeToBlockExpire);
    }
    return true;
  }
}

/**
 * Applies the declared limit of every route. The last of the global guards: those before it have said who acts
 * (authentication, path username), and all pipes (validation) come after it. No interceptor, whose observables would cost a
 * request more than the limit itself.
 */
@Injectable()
export class RateLimitGuard implements CanActivate {
  private readonly rules = new RouteRules<RateRule>(RATE_LIMIT_METADATA);

  constructor(
    private readonly broadcasts: BroadcastThrottler,
    private readonly users: UserMeter,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const rule = this.rules.of(context);
    const request = context.switchToHttp().getRequest<MeteredRequest>();
    request.metered = true;
    if (rule === 'broadcast') return this.broadcasts.canActivate(context);
    return rule === 'user' || rule === undefined ? this.meter(request) : true;
  }

  private async meter(request: MeteredRequest): Promise<boolean> {
    const username = request.actor?.account.username;
    const seconds = await (username === undefined
      ? this.users.checkAddress(clientIp(request))
      : this.users.check(`name:${username}`));
    if (seconds > 0) throw tooMany(seconds);
    return true;
  }
}
