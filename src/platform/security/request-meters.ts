import { Inject, Injectable } from '@nestjs/common';
import { boundedCache } from '../caches/index.js';
import { ENVIRONMENT, type Environment } from '../config/index.js';
import { networksOf } from './client-ip.js';
import { RateCounters, wholeSeconds } from './rate-counters.js';

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
