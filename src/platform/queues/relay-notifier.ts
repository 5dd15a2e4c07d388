import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Redis } from 'ioredis';
import { ENVIRONMENT, type Environment } from '../config/index.js';

const NOTIFY_EVERY_MS = 5;

/** Where something is due now. */
export interface DueRoute {
  channel: string;
  routeId: number;
  /** messages of one recipient, or campaigns; absent = either */
  single?: boolean;
}

/**
 * Tells the relays of all workers that a lane is due, so that they need not wait for their next look at MySQL.
 * Only a hint: without Redis, or when a notification is lost, the relay finds the lane by itself within half a second.
 */
@Injectable()
export class RelayNotifier implements OnApplicationShutdown {
  private readonly channel: string;
  private readonly redis: Redis;
  private subscriber: Redis | null = null;
  private pending: NodeJS.Timeout | null = null;

  constructor(@Inject(ENVIRONMENT) private readonly environment: Environment) {
    this.channel = `{${environment.REDIS_PREFIX}}:relay`;
    this.redis = this.connect();
  }

  /**
   * Notifies soon; many calls within a few milliseconds are one. Never waits and never fails.
   * @param due what may leave now; nothing is said of what waits for its schedule or an approval
   */
  notify(due: readonly DueRoute[]): void {
    if (due.length === 0) return;
    this.pending ??= setTimeout(() => {
      this.pending = null;
      if (this.redis.status === 'ready') this.redis.publish(this.channel, '').catch(() => undefined);
    }, NOTIFY_EVERY_MS);
  }

  /** Calls `onNotified` at each notification, from any process. */
  listen(onNotified: () => void): void {
    this.subscriber = this.connect();
    this.subscriber.on('message', onNotified);
    this.subscriber.on('ready', () => void this.subscriber?.subscribe(this.channel).catch(() => undefined));
  }

  onApplicationShutdown(): void {
    if (this.pending) clearTimeout(this.pending);
    this.redis.disconnect();
    this.subscriber?.disconnect();
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
