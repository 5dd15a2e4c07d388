import {
  type CanActivate,
  type CustomDecorator,
  type ExecutionContext,
  Inject,
  Injectable,
  SetMetadata,
  type Type,
} from '@nestjs/common';
import { ThrottlerGuard, type ThrottlerStorage } from '@nestjs/throttler';
import type { Request } from 'express';
import { defineError, type DocumentedError } from '../../kernel/errors.js';
import { boundedCache } from '../concurrency/index.js';
import { type Environment, ENVIRONMENT } from '../config/index.js';
import { clientIp, networksOf } from './client-ip.js';
import { RateCounters, wholeSeconds } from './rate-counters.js';

/** Metadata of a route's handler, else of its controller. Cached per route, because each request reads several. */
export class RouteRules<Rule> {
  private readonly known = new WeakMap<Type, Map<object, Rule | undefined>>();

  constructor(private readonly key: string) {}

  of(context: ExecutionContext): Rule | undefined {
    const [controller, handler] = [context.getClass(), context.getHandler()];
    const rules = this.known.get(controller) ?? new Map<object, Rule | undefined>();
    if (!this.known.has(controller)) this.known.set(controller, rules);
    if (!rules.has(handler)) {
      const said: unknown = Reflect.getMetadata(this.key, handler) ?? Reflect.getMetadata(this.key, controller);
      rules.set(handler, said as Rule | undefined);
    }
    return rules.get(handler);
  }
}

/** The error of every limit. Its argument, the seconds to wait, becomes the `Retry-After` header. */
export const tooMany = defineError<[seconds: number]>(
  'too_many',
  'too_many_requests',
  'Too many requests. Please try again later.',
  'over a limit',
  (seconds) => Math.max(1, Math.ceil(seconds)),
).with({ hint: 'Wait as many seconds as `Retry-After` says. One request of many numbers counts once.' });

const WINDOW_MS = 60_000;
const MOST_METERS = 100_000;
/** An instance exchanges its count with the others at every hundredth of the limit. */
const STEP_SHARE = 100;

interface Meter {
  limit: number;
  /** total of all instances at the last exchange */
  known: number;
  /** counted here since then */
  unsent: number;
  until: number;
}

/** Limit counted in memory and exchanged at each hundredth: each further instance may overshoot by one hundredth. */
class RequestMeter {
  private readonly meters = boundedCache<string, Meter>(MOST_METERS);

  /** @param name prefix of the keys @param limit requests per window; 0 = none */
  constructor(
    private readonly counters: RateCounters,
    private readonly name: string,
    private readonly limit: number,
    private readonly windowMs = WINDOW_MS,
  ) {}

  /** Counts one request. @param share factor of the limit @returns 0 = passes, else seconds; synchronous without an exchange */
  check(who: string, share = 1): number | Promise<number> {
    if (this.limit === 0) return 0;
    const now = Date.now();
    const meter = this.meters.get(who);
    if (!meter || meter.until <= now) return this.begin(who, now, this.limit * share);
    if (meter.known >= meter.limit) return wholeSeconds(meter.until - now);
    meter.unsent++;
    if (meter.unsent >= Math.ceil(meter.limit / STEP_SHARE)) return this.exchange(who, meter);
    return this.waitOf(meter);
  }

  /** Counts one unauthenticated request for each network of its address. @returns as `check` */
  async checkAddress(ip: string): Promise<number> {
    for (const { name, share } of networksOf(ip)) {
      const wait = await this.check(`ip:${name}`, share);
      if (wait > 0) return wait;
    }
    return 0;
  }

  private begin(who: string, now: number, limit: number): Promise<number> {
    const meter: Meter = { limit, known: 0, unsent: 1, until: now + this.windowMs };
    this.meters.set(who, meter);
    return this.exchange(who, meter);
  }

  private async exchange(who: string, meter: Meter): Promise<number> {
    const amount = meter.unsent;
    const mine = meter.known + amount;
    meter.unsent = 0;
    meter.known = mine;
    const { count, leftMs } = await this.counters.add(`${this.name}:${who}`, amount, this.windowMs);
    // Parallel exchanges may answer in any order: keep the highest count.
    meter.known = Math.max(meter.known, count);
    meter.until = Date.now() + leftMs;
    return Math.max(mine, count) > meter.limit ? wholeSeconds(leftMs) : 0;
  }

  private waitOf(meter: Meter): number {
    return meter.known + meter.unsent > meter.limit ? wholeSeconds(meter.until - Date.now()) : 0;
  }
}

/** The general limit: `USER_RATE_LIMIT` per minute and user or address. */
@Injectable()
export class UserMeter extends RequestMeter {
  constructor(counters: RateCounters, @Inject(ENVIRONMENT) environment: Pick<Environment, 'USER_RATE_LIMIT'>) {
    super(counters, 'user', environment.USER_RATE_LIMIT);
  }
}

/** The limit of callbacks and of audio that carriers fetch: `CARRIER_RATE_LIMIT` per minute and address. */
@Injectable()
export class CarrierMeter extends RequestMeter {
  constructor(counters: RateCounters, @Inject(ENVIRONMENT) environment: Pick<Environment, 'CARRIER_RATE_LIMIT'>) {
    super(counters, 'carrier', environment.CARRIER_RATE_LIMIT);
  }
}

const SECOND_MS = 1_000;

/** The limit of messages: `MESSAGES_PER_SECOND` per account. */
@Injectable()
export class MessageMeter extends RequestMeter {
  constructor(counters: RateCounters, @Inject(ENVIRONMENT) environment: Pick<Environment, 'MESSAGES_PER_SECOND'>) {
    super(counters, 'message', environment.MESSAGES_PER_SECOND, SECOND_MS);
  }
}

// `broadcast`: per 60 s, username, IP and endpoint. `user`, the default: per minute and user or IP. `carrier`: per minute and
// address, before the body is read (`CARRIER_PATHS`). `message`: per second and account. `none`: for cheap routes or those with their own token.
export type RateRule = 'broadcast' | 'user' | 'carrier' | 'message' | 'none';

/** Path prefixes of the routes that declare `carrier`. */
export const CARRIER_PATHS = ['/provider/', '/audio/'];

export const RATE_LIMIT_METADATA = 'switchboard:rate-limit';

/** The error of each limit in the API document. */
export const rateLimitErrors: Readonly<Record<Exclude<RateRule, 'none'>, DocumentedError>> = {
  broadcast: tooMany.because('more than BROADCAST_RATE_LIMIT (10) requests in 60 seconds per username and IP'),
  user: tooMany.because('over USER_RATE_LIMIT a minute'),
  carrier: tooMany.because('over CARRIER_RATE_LIMIT a minute from one address'),
  message: tooMany.because('over MESSAGES_PER_SECOND (50) of the account'),
};

/** Declares the limit of a controller or handler. It applies after authentication and before validation. */
export const RateLimited = (rule: RateRule): CustomDecorator => SetMetadata(RATE_LIMIT_METADATA, rule);

export interface MeteredRequest extends Request {
  actor?: { account: { username: string } };
  /** true when a limit was applied: then the error filter does not count the request */
  metered?: boolean;
}

/** Storage of @nestjs/throttler in `RateCounters`; no block time after the window. */
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

/** The limit of broadcasts, by handler, acting username (also from the body) and address. */
@Injectable()
export class BroadcastThrottler extends ThrottlerGuard {
  /** Applies the module's only limit; skips the throttler's look-up of per-route options. */
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

/** Applies each route's limit. Last global guard: after authentication, before validation. Observables would cost more. */
@Injectable()
export class RateLimitGuard implements CanActivate {
  private readonly rules = new RouteRules<RateRule>(RATE_LIMIT_METADATA);

  constructor(
    private readonly broadcasts: BroadcastThrottler,
    private readonly users: UserMeter,
    private readonly messages: MessageMeter,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const rule = this.rules.of(context);
    const request = context.switchToHttp().getRequest<MeteredRequest>();
    request.metered = true;
    if (rule === 'broadcast') return this.broadcasts.canActivate(context);
    if (rule === 'message') return this.meter(request, this.messages);
    return rule === 'user' || rule === undefined ? this.meter(request, this.users) : true;
  }

  private async meter(request: MeteredRequest, meter: RequestMeter): Promise<boolean> {
    const username = request.actor?.account.username;
    const seconds = await (username === undefined
      ? meter.checkAddress(clientIp(request))
      : meter.check(`name:${username}`));
    if (seconds > 0) throw tooMany(seconds);
    return true;
  }
}

const WINDOW_SECONDS = 60;

/** Limits per minute and network of the address: a /64 shares one limit. A limit of 0 means none. */
@Injectable()
export class AddressLimits {
  constructor(private readonly counters: RateCounters) {}

  /** Counts one. @param name of the limit, may include a subject, such as `open-miss` @throws AppError too_many */
  async count(name: string, ip: string, limit: number): Promise<void> {
    for (const network of networksOf(ip)) {
      const key = `${name}:${network.name}`;
      const { allowed, retryAfterSeconds } = await this.counters.hit(key, limit * network.share, WINDOW_SECONDS);
      if (!allowed) throw tooMany(retryAfterSeconds);
    }
  }

  /** Checks without counting. @throws AppError too_many when the limit is used up */
  async refuseBlocked(name: string, ip: string, limit: number): Promise<void> {
    const waits = networksOf(ip).map((network) =>
      this.counters.blocked(`${name}:${network.name}`, limit * network.share),
    );
    const wait = Math.max(...(await Promise.all(waits)));
    if (wait > 0) throw tooMany(wait);
  }
}
