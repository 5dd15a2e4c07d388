import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { type Environment, ENVIRONMENT } from '../config/index.js';
import { BLOCKED_SECONDS, BlockingReads, type RedisClient, RedisClients, RedisLink } from '../redis/index.js';

const NOTIFY_EVERY_MS = 5;
/** Maximum pending notifications per channel: the relay's own query finds others. */
const MOST_RINGS = 1_000;
const KEPT_MS = 60_000;
const RINGS_A_TIME = 100;

/** A route with something due now. */
export interface DueRoute {
  channel: string;
  routeId: number;
  /** single messages or campaigns; absent = either */
  single?: boolean;
}

/** List entry of a notification. */
const ringOf = ({ routeId, single }: DueRoute): string =>
  `${routeId} ${single === undefined ? 'any' : single ? 'single' : 'campaign'}`;

function readRing(channel: string, ring: string): DueRoute {
  const [routeId, kind] = ring.split(' ');
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
      const rings = this.pending.get(route.channel) ?? new Set();
      this.pending.set(route.channel, rings.add(ringOf(route)));
    }
    this.timer ??= setTimeout(() => this.ring(), NOTIFY_EVERY_MS);
  }

  /** Takes notifications; each reaches one process. @param onDue must not reject; awaited before the next ones */
  listen(channels: readonly string[], onDue: (due: DueRoute[]) => Promise<void>): void {
    const byKey = new Map(channels.map((channel) => [this.key(channel), channel]));
    const ask = (connection: RedisClient) => connection.blpop([...byKey.keys()], BLOCKED_SECONDS);
    this.reads.start(ask, async ([key, first], connection) => {
      const more = await connection.lpop(key, RINGS_A_TIME).catch(() => null);
      const rings = new Set([first, ...(more ?? [])]);
      await onDue([...rings].map((ring) => readRing(byKey.get(key) ?? '', ring)));
    });
  }

  onApplicationShutdown(): void {
    this.hasEnded = true;
    if (this.timer) clearTimeout(this.timer);
    this.reads.end();
  }

  private ring(): void {
    this.timer = null;
    const pending = [...this.pending];
    this.pending.clear();
    if (!this.redis.ready) return;
    const calls = this.redis.client.multi();
    for (const [channel, rings] of pending) {
      const key = this.key(channel);
      calls
        .rpush(key, ...rings)
        .ltrim(key, -MOST_RINGS, -1)
        .pexpire(key, KEPT_MS);
    }
    calls.exec().catch(() => undefined);
  }

  /** One hash slot for all channels, so that one command can wait for all. */
  private key(channel: string): string {
    return `{${this.environment.REDIS_PREFIX}:due}:${channel}`;
  }
}

/** Minimum interval between signals of a process; a signal is valid for longer. */
const EVERY_MS = 200;

/** Signals all workers before a single message is accepted (docs/decisions/0064). Only a hint: workers also find it without. */
@Injectable()
export class SingleSignalStream implements OnApplicationShutdown {
  private readonly reads: BlockingReads;
  private toldAt = -Infinity;

  constructor(
    clients: RedisClients,
    private readonly redis: RedisLink,
  ) {
    this.reads = new BlockingReads(clients);
  }

  /** Whether `tell` would send: Redis is there and the last signal is not recent. */
  get isDue(): boolean {
    return this.redis.ready && performance.now() - this.toldAt >= EVERY_MS;
  }

  /** Sends a signal; never waits or fails. */
  tell(): void {
    if (!this.isDue) return;
    this.toldAt = performance.now();
    // A stream, since all readers get each entry; entries have no content.
    const calls = this.redis.client.multi().xadd(this.key, 'MAXLEN', 1, '*', 'single', '');
    calls
      .pexpire(this.key, KEPT_MS)
      .exec()
      .catch(() => undefined);
  }

  /** Receives signals of all processes; those between two reads are lost. */
  listen(onNotice: () => void): void {
    this.reads.start(
      (connection) => connection.xread('BLOCK', 1_000 * BLOCKED_SECONDS, 'STREAMS', this.key, '$'),
      async () => onNotice(),
    );
  }

  onApplicationShutdown(): void {
    this.reads.end();
  }

  private get key(): string {
    return `${this.redis.prefix}:singles`;
  }
}
