import { Injectable } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { RedisLink } from './redis-link.js';
import { WindowMemory } from './window-memory.js';

/** Adds to a window and says what is left of it: one round trip. The window begins with its first count. */
const ADD = `
local count = redis.call('INCRBY', KEYS[1], ARGV[1])
local left = redis.call('PTTL', KEYS[1])
if left < 0 then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  left = tonumber(ARGV[2])
end
return { count, left }`;

const READ = `
local count = redis.call('GET', KEYS[1])
if not count then return { 0, 0 } end
return { tonumber(count), redis.call('PTTL', KEYS[1]) }`;

type Scripted = Redis & {
  addToWindow(key: string, amount: number, windowMs: number): Promise<[number, number]>;
  readWindow(key: string): Promise<[number, number]>;
};

/** After a failed command Redis is left alone for so long, so that a silent one delays few requests. */
const REST_MS = 2_000;

/** What a window holds after a count. */
export interface WindowCount {
  count: number;
  /** milliseconds until the window ends */
  leftMs: number;
}

/**
 * Counters of rate limits in fixed windows, over all instances through Redis; while Redis is away, over this process
 * alone. No call ever fails or waits longer than the Redis time-out.
 */
@Injectable()
export class RateCounters {
  private readonly memory = new WindowMemory();
  private readonly redis: Scripted;
  private restingUntil = 0;

  constructor(private readonly link: RedisLink) {
    link.client.defineCommand('addToWindow', { numberOfKeys: 1, lua: ADD });
    link.client.defineCommand('readWindow', { numberOfKeys: 1, lua: READ });
    this.redis = link.client as Scripted;
  }

  /**
   * Counts one and judges it.
   * @param key names what is limited and for whom, such as `login:1.2.3.4:bob`
   * @param limit counts a window allows; 0 = no limit, nothing is counted
   */
  async hit(
    key: string,
    limit: number,
    windowSeconds: number,
  ): Promise<{ allowed: boolean; retryAfterSeconds: number }> {
    if (limit === 0) return { allowed: true, retryAfterSeconds: 0 };
    const { count, leftMs } = await this.add(key, 1, windowSeconds * 1000);
    return count <= limit
      ? { allowed: true, retryAfterSeconds: 0 }
      : { allowed: false, retryAfterSeconds: wholeSeconds(leftMs) };
  }

  /**
   * Whether a key has used up its limit, for counters of failures that are only asked beforehand. Counts nothing.
   * @returns seconds until it is free again; 0 = free
   */
  async blocked(key: string, limit: number): Promise<number> {
    if (limit === 0) return 0;
    const { count, leftMs } = await this.read(key);
    return count >= limit ? wholeSeconds(leftMs) : 0;
  }

  /** Adds `amount` to a window and returns its new count; for callers that judge by themselves. */
  async add(key: string, amount: number, windowMs: number): Promise<WindowCount> {
    if (this.usable) {
      try {
        const [count, leftMs] = await this.redis.addToWindow(this.name(key), amount, windowMs);
        return { count, leftMs };
      } catch {
        this.rest(); // and count below
      }
    }
    return this.memory.add(key, amount, windowMs);
  }

  private async read(key: string): Promise<WindowCount> {
    const here = this.memory.read(key);
    if (this.usable) {
      try {
        const [count, leftMs] = await this.redis.readWindow(this.name(key));
        return count >= here.count ? { count, leftMs } : here;
      } catch {
        this.rest(); // and answer from memory
      }
    }
    return here;
  }

  private get usable(): boolean {
    return this.link.ready && performance.now() >= this.restingUntil;
  }

  private rest(): void {
    this.restingUntil = performance.now() + REST_MS;
  }

  private name(key: string): string {
    return `${this.link.prefix}:rate:${key}`;
  }
}

/** `Retry-After` counts in whole seconds, at least one. */
export const wholeSeconds = (ms: number): number => Math.max(1, Math.ceil(ms / 1000));
