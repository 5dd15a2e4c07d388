import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { type Environment, ENVIRONMENT } from '../config/index.js';
import { BLOCKED_SECONDS, BlockingReads, type RedisClient, RedisClients, RedisLink } from '../redis/index.js';

const NOTIFY_EVERY_MS = 5;
/** Maximum pending notifications per channel: the relay's own query finds others. */
const MOST_PENDING = 1_000;
const KEPT_MS = 60_000;
const NOTIFICATIONS_A_READ = 100;

/** A route with something due now. */
export interface DueRoute {
  channel: string;
  routeId: number;
  /** single messages or campaigns; absent = either */
  single?: boolean;
}

/** List entry of a notification. */
const textOf = ({ routeId, single }: DueRoute): string =>
  `${routeId} ${single === undefined ? 'any' : single ? 'single' : 'campaign'}`;

function readNotification(channel: string, notification: string): DueRoute {
  const [routeId, kind] = notification.split(' ');
  return { channel, routeId: Number(routeId), ...(kind !== 'any' && { single: kind === 'single' }) };
}

/** Notifies one relay of a due route. Only a hint: the relay also queries MySQL (`DueRoutes`). */
@Injectable()
export class RelayNotifier implements OnApplicationShutdown {
  private readonly reads: BlockingReads;
  private readonly pending = new Map<string, Set<string>>();
  private timer: NodeJS.Timeout | null = null;
  private hasEnded = false;

  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'REDIS_PREFIX'>,
    clients: RedisClients,
    private readonly redis: RedisLink,
  ) {
    this.reads = new BlockingReads(clients);
  }

  /** Notifies soon, merging calls; never waits or fails. @param due without scheduled or unapproved sends */
  notify(due: readonly DueRoute[]): void {
    if (due.length === 0 || this.hasEnded) return;
    for (const route of due) {
      const notifications = this.pending.get(route.channel) ?? new Set();
      this.pending.set(route.channel, notifications.add(textOf(route)));
    }
    this.timer ??= setTimeout(() => this.publish(), NOTIFY_EVERY_MS);
  }

  /** Takes notifications; each reaches one process. @param onDue must not reject; awaited before the next ones */
  listen(channels: readonly string[], onDue: (due: DueRoute[]) => Promise<void>): void {
    const byKey = new Map(channels.map((channel) => [this.key(channel), channel]));
    const ask = (connection: RedisClient) => connection.blpop([...byKey.keys()], BLOCKED_SECONDS);
    this.reads.start(ask, async ([key, first], connection) => {
      const more = await connection.lpop(key, NOTIFICATIONS_A_READ).catch(() => null);
      const notifications = new Set([first, ...(more ?? [])]);
      await onDue([...notifications].map((notification) => readNotification(byKey.get(key) ?? '', notification)));
    });
  }

  onApplicationShutdown(): void {
    this.hasEnded = true;
    if (this.timer) clearTimeout(this.timer);
    this.reads.end();
  }

  private publish(): void {
    this.timer = null;
    const pending = [...this.pending];
    this.pending.clear();
    if (!this.redis.ready) return;
    const calls = this.redis.client.multi();
    for (const [channel, notifications] of pending) {
      const key = this.key(channel);
      calls
        .rpush(key, ...notifications)
        .ltrim(key, -MOST_PENDING, -1)
        .pexpire(key, KEPT_MS);
    }
    calls.exec().catch(() => undefined);
  }

  /** One hash slot for all channels, so that one command can wait for all. */
  private key(channel: string): string {
    return `{${this.environment.REDIS_PREFIX}:due}:${channel}`;
  }
}
