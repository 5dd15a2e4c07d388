import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Redis } from 'ioredis';
import { ENVIRONMENT, type Environment } from '../config/index.js';

const RING_EVERY_MS = 5;

/**
 * Tells the relays of all workers that a lane is due, so that they need not wait for their next look at MySQL.
 * Only a hint: without Redis, or when a ring is lost, the relay finds the lane by itself within half a second.
 */
@Injectable()
export class RelayBell implements OnApplicationShutdown {
  private readonly channel: string;
  private readonly redis: Redis;
  private ears: Redis | null = null;
  private pending: NodeJS.Timeout | null = null;

  constructor(@Inject(ENVIRONMENT) private readonly environment: Environment) {
    this.channel = `{${environment.REDIS_PREFIX}}:relay`;
    this.redis = this.connect();
  }

  /** Rings soon; many rings within a few milliseconds are one. Never waits and never fails. */
  ring(): void {
    this.pending ??= setTimeout(() => {
      this.pending = null;
      if (this.redis.status === 'ready') this.redis.publish(this.channel, '').catch(() => undefined);
    }, RING_EVERY_MS);
  }

  /** Calls `hear` at each ring, from any process. */
  listen(hear: () => void): void {
    this.ears = this.connect();
    this.ears.on('message', hear);
    this.ears.on('ready', () => void this.ears?.subscribe(this.channel).catch(() => undefined));
  }

  onApplicationShutdown(): void {
    if (this.pending) clearTimeout(this.pending);
    this.redis.disconnect();
    this.ears?.disconnect();
  }

  private connect(): Redis {
    const redis = new Redis(this.environment.REDIS_URL, {
      maxRetriesPerRequest: 0,
      enableOfflineQueue: false,
      autoResubscribe: false,
      retryStrategy: (attempt) => Math.min(attempt * 200, 2_000),
    });
    redis.on('error', () => undefined); // its absence shows in /health/ready and in the log of the rate counters
    return redis;
  }
}
