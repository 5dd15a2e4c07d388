import { Injectable } from '@nestjs/common';
import { boundedCache } from '../concurrency/index.js';
import { type RedisClient, RedisCounts, RedisLink } from '../redis/index.js';

const MOST_MOMENTS = 1_000_000;

interface Hits {
  /** when each hit expires, oldest first, on the process's clock, milliseconds */
  ends: number[];
}

/** Sliding limits in this process, while Redis is away. Bounded by total hits; drops the least recently used key. */
export class HitMemory {
  private readonly keys;

  constructor(most = MOST_MOMENTS) {
    this.keys = boundedCache<string, Hits>(most, { sizeOf: ({ ends }) => ends.length });
  }

  /** Counts one hit if fewer than `limit` are counted. @returns 0 when counted, else milliseconds to wait */
  hit(key: string, limit: number, windowMs: number): number {
    const wait = this.wait(key, limit);
    if (wait > 0) return wait;
    const ends = this.keys.get(key)?.ends ?? [];
    ends.push(performance.now() + windowMs);
    if (ends.length >= 2 * limit) ends.splice(0, ends.length - limit);
    this.keys.set(key, { ends }); // set again to update its size
    return 0;
  }

  /** Milliseconds until a hit would be counted; 0 = now. */
  wait(key: string, limit: number): number {
    const decisive = this.keys.get(key)?.ends.at(-limit);
    return decisive === undefined ? 0 : Math.max(0, decisive - performance.now());
  }
}

interface Window {
  count: number;
  until: number;
}

const MOST_WINDOWS = 100_000;

/** Fixed windows in this process, for `RateCounters.add` while Redis is away. */
class WindowMemory {
  private readonly windows = boundedCache<string, Window>(MOST_WINDOWS);

  /** Adds `amount` to the key's window, or opens one. @returns the count and the milliseconds left */
  add(key: string, amount: number, windowMs: number): { count: number; leftMs: number } {
    const now = Date.now();
    let window = this.windows.get(key);
    if (!window || window.until <= now) {
      window = { count: 0, until: now + windowMs };
      this.windows.set(key, window);
    }
    window.count += amount;
    return { count: window.count, leftMs: window.until - now };
  }

  peek(key: string): number {
    const window = this.windows.get(key);
    return window && window.until > Date.now() ? window.count : 0;
  }
}

/** Expiry times of hits, at most `limit`; the limit-th from the end decides. Atomic and by Redis's clock. */
const HIT = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local decisive = redis.call('LINDEX', KEYS[1], -ARGV[1])
if decisive and tonumber(decisive) > now then return decisive - now end
redis.call('RPUSH', KEYS[1], now + ARGV[2])
redis.call('LTRIM', KEYS[1], -ARGV[1], -1)
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 0`;

const WAIT = `
local time = redis.call('TIME')
local decisive = redis.call('LINDEX', KEYS[1], -ARGV[1])
if not decisive then return 0 end
return math.max(0, decisive - (time[1] * 1000 + math.floor(time[2] / 1000)))`;

/** Adds to a window and returns its count and remaining time in one round trip. */
const ADD = `
local count = redis.call('INCRBY', KEYS[1], ARGV[1])
local left = redis.call('PTTL', KEYS[1])
if left < 0 then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  left = tonumber(ARGV[2])
end
return { count, left }`;

type Scripted = RedisClient & {
  countHit(key: string, limit: number, windowMs: number): Promise<number>;
  waitForHit(key: string, limit: number): Promise<number>;
  addToWindow(key: string, amount: number, windowMs: number): Promise<[number, number]>;
};

export interface WindowCount {
  count: number;
  leftMs: number;
}

/** Counters in Redis, or in this process while it is away; calls never fail. Limits slide (docs/decisions/0071), not `add`. */
@Injectable()
export class RateCounters {
  private readonly hits = new HitMemory();
  private readonly windows = new WindowMemory();
  private readonly redis: Scripted;
  private readonly counts: RedisCounts;

  constructor(private readonly link: RedisLink) {
    link.client.defineCommand('countHit', { numberOfKeys: 1, lua: HIT });
    link.client.defineCommand('waitForHit', { numberOfKeys: 1, lua: WAIT });
    link.client.defineCommand('addToWindow', { numberOfKeys: 1, lua: ADD });
    this.redis = link.client as Scripted;
    this.counts = new RedisCounts(link);
  }

  /** Counts a hit if the limit allows it. @param key such as `login:1.2.3.4:bob` @param limit hits per window; 0 = none */
  async hit(
    key: string,
    limit: number,
    windowSeconds: number,
  ): Promise<{ allowed: boolean; retryAfterSeconds: number }> {
    if (limit === 0) return { allowed: true, retryAfterSeconds: 0 };
    const windowMs = windowSeconds * 1000;
    const wait =
      (await this.counts.ask(() => this.redis.countHit(this.name('hits', key), limit, windowMs))) ??
      this.hits.hit(key, limit, windowMs);
    return wait === 0
      ? { allowed: true, retryAfterSeconds: 0 }
      : { allowed: false, retryAfterSeconds: wholeSeconds(wait) };
  }

  /** Checks a limit without counting, including hits counted here while Redis was away. @returns seconds to wait; 0 = free */
  async blocked(key: string, limit: number): Promise<number> {
    if (limit === 0) return 0;
    const there = await this.counts.ask(() => this.redis.waitForHit(this.name('hits', key), limit));
    const wait = Math.max(there ?? 0, this.hits.wait(key, limit));
    return wait === 0 ? 0 : wholeSeconds(wait);
  }

  /** Adds `amount` to a fixed window. @returns its new count; the caller decides */
  async add(key: string, amount: number, windowMs: number): Promise<WindowCount> {
    const there = await this.counts.ask(() => this.redis.addToWindow(this.name('rate', key), amount, windowMs));
    return there ? { count: there[0], leftMs: there[1] } : this.windows.add(key, amount, windowMs);
  }

  /** The count of a fixed window, without adding to it. */
  async peek(key: string): Promise<number> {
    const there = await this.counts.ask(async () => Number((await this.redis.get(this.name('rate', key))) ?? 0));
    return Math.max(there ?? 0, this.windows.peek(key));
  }

  private name(kind: 'hits' | 'rate', key: string): string {
    return `${this.link.prefix}:${kind}:${key}`;
  }
}

/** `Retry-After` counts in whole seconds, at least one. */
export const wholeSeconds = (ms: number): number => Math.max(1, Math.ceil(ms / 1000));
