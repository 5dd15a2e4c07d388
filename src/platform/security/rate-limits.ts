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

/**
 * What decorators have said of a route under one key: of its handler, else of its controller. It never changes, and each
 * request asks for several, so it is looked up once a route.
 */
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

/** The error of every limit. Its argument, how many seconds to wait, becomes the `Retry-After` header. */
export const tooMany = defineError<[seconds: number]>(
  'too_many',
  'too_many_requests',
  'Too many requests. Please try again later.',
  'over a limit',
  (seconds) => Math.max(1, Math.ceil(seconds)),
).with({ hint: 'Wait as many seconds as `Retry-After` says. One request of many numbers counts once.' });

const WINDOW_MS = 60_000;
const MOST_METERS = 100_000;
/** Share of the limit that one instance counts by itself before it tells the others. */
const STEP_SHARE = 100;

interface Meter {
  /** requests a minute */
  limit: number;
  /** what all instances had counted at the last exchange */
  known: number;
  /** counted here since then */
  unsent: number;
  until: number;
}

/**
 * A limit that stands on every request of its kind, so it is counted in memory and exchanged with the other instances at
 * the first request and then every hundredth of the limit: the limit can be overshot by one hundredth for each further
 * instance, and most requests cost no round trip.
 */
class RequestMeter {
  private readonly meters = boundedCache<string, Meter>(MOST_METERS);

  /**
   * @param name what is counted, the beginning of its keys
   * @param limit requests a minute; 0 = no limit
   */
  constructor(
    private readonly counters: RateCounters,
    private readonly name: string,
    private readonly limit: number,
  ) {}

  /**
   * Counts one request.
   * @param who the user or the network
   * @param share how many times the limit it may have
   * @returns 0 when it may pass, otherwise seconds until the next window; a plain number where no exchange is due
   */
  check(who: string, share = 1): number | Promise<number> {
    if (this.limit === 0) return 0;
    const now = Date.now();
    const meter = this.meters.get(who);
    if (!meter || meter.until <= now) return this.begin(who, now, this.limit * share);
    if (meter.known >= meter.limit) return wholeSeconds(meter.until - now);
    meter.unsent++;
    if (meter.unsent >= Math.ceil(meter.limit / STEP_SHARE)) return this.exchange(who, meter);
    return this.judge(meter);
  }

  /** Counts one request of an unknown caller, by the networks of its address. @returns as `check` */
  async checkAddress(ip: string): Promise<number> {
    for (const { name, share } of networksOf(ip)) {
      const wait = await this.check(`ip:${name}`, share);
      if (wait > 0) return wait;
    }
    return 0;
  }

  private begin(who: string, now: number, limit: number): Promise<number> {
    const meter: Meter = { limit, known: 0, unsent: 1, until: now + WINDOW_MS };
    this.meters.set(who, meter);
    return this.exchange(who, meter);
  }

  private async exchange(who: string, meter: Meter): Promise<number> {
    const amount = meter.unsent;
    const mine = meter.known + amount;
    meter.unsent = 0;
    meter.known = mine;
    const { count, leftMs } = await this.counters.add(`${this.name}:${who}`, amount, WINDOW_MS);
    // Answers of parallel exchanges may arrive in any order; the highest count stands.
    meter.known = Math.max(meter.known, count);
    meter.until = Date.now() + leftMs;
    return Math.max(mine, count) > meter.limit ? wholeSeconds(leftMs) : 0;
  }

  private judge(meter: Meter): number {
    return meter.known + meter.unsent > meter.limit ? wholeSeconds(meter.until - Date.now()) : 0;
  }
}

/** The general limit: `USER_RATE_LIMIT` a minute per user or address. */
@Injectable()
export class UserMeter extends RequestMeter {
  constructor(counters: RateCounters, @Inject(ENVIRONMENT) environment: Pick<Environment, 'USER_RATE_LIMIT'>) {
    super(counters, 'user', environment.USER_RATE_LIMIT);
  }
}

/** The limit of callbacks and of audio that carriers fetch: `CARRIER_RATE_LIMIT` a minute per address. */
@Injectable()
export class CarrierMeter extends RequestMeter {
  constructor(counters: RateCounters, @Inject(ENVIRONMENT) environment: Pick<Environment, 'CARRIER_RATE_LIMIT'>) {
    super(counters, 'carrier', environment.CARRIER_RATE_LIMIT);
  }
}

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

const WINDOW_SECONDS = 60;

/**
 * Limits a minute by the client's address, over all instances: each network the address belongs to is counted, so that
 * a client gets no limit of its own for each address of its /64. A limit of 0 is none.
 */
@Injectable()
export class AddressLimits {
  constructor(private readonly counters: RateCounters) {}

  /**
   * Counts one, unless it is one too many.
   * @param name of the limit, with whom else it is for, such as `open-miss`
   * @throws AppError too_many
   */
  async count(name: string, ip: string, limit: number): Promise<void> {
    for (const network of networksOf(ip)) {
      const key = `${name}:${network.name}`;
      const { allowed, retryAfterSeconds } = await this.counters.hit(key, limit * network.share, WINDOW_SECONDS);
      if (!allowed) throw tooMany(retryAfterSeconds);
    }
  }

  /** Only looks. @throws AppError too_many for an address that has used up the limit */
  async refuseBlocked(name: string, ip: string, limit: number): Promise<void> {
    const waits = networksOf(ip).map((network) =>
      this.counters.blocked(`${name}:${network.name}`, limit * network.share),
    );
    const wait = Math.max(...(await Promise.all(waits)));
    if (wait > 0) throw tooMany(wait);
  }
}
