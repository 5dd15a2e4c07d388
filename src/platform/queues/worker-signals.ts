import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { type Environment, ENVIRONMENT } from '../config/index.js';
import { BLOCKED_SECONDS, BlockingReads, type RedisClient, RedisClients } from '../redis/index.js';
import { RedisLink } from '../security/index.js';

const NOTIFY_EVERY_MS = 5;
/** Rings of a channel that no relay took: its own look finds what the others were about. */
const MOST_RINGS = 1_000;
const KEPT_MS = 60_000;
const RINGS_A_TIME = 100;

/** Where something is due now. */
export interface DueRoute {
  channel: string;
  routeId: number;
  /** messages of one recipient, or campaigns; absent = either */
  single?: boolean;
}

/** A ring as the list of its channel has it. */
const ringOf = ({ routeId, single }: DueRoute): string =>
  `${routeId} ${single === undefined ? 'any' : single ? 'single' : 'campaign'}`;

function readRing(channel: string, ring: string): DueRoute {
  const [routeId, kind] = ring.split(' ');
  return { channel, routeId: Number(routeId), ...(kind !== 'any' && { single: kind === 'single' }) };
}

/**
 * Tells one relay that something is due over a route, so that it does not wait for the next look at MySQL.
 * Only a hint: without Redis, or when a ring is lost, the relay finds the lanes by its looks (`DueRoutes`).
 */
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

  /**
   * Notifies soon; many calls within a few milliseconds are one. Never waits and never fails.
   * @param due what may leave now; nothing is said of what waits for its schedule or an approval
   */
  notify(due: readonly DueRoute[]): void {
    if (due.length === 0 || this.hasEnded) return;
    for (const route of due) {
      const rings = this.pending.get(route.channel) ?? new Set();
      this.pending.set(route.channel, rings.add(ringOf(route)));
    }
    this.timer ??= setTimeout(() => this.ring(), NOTIFY_EVERY_MS);
  }

  /**
   * Takes rings of these channels, each of which reaches one listener of all processes.
   * @param onDue never rejects; the next rings are taken when it is over
   */
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

  /** One hash slot for all channels, so that one command may wait for all of them. */
  private key(channel: string): string {
    return `{${this.environment.REDIS_PREFIX}:due}:${channel}`;
  }
}

/** So often at the most a process tells: what is told holds for longer. */
const EVERY_MS = 200;

/**
 * Tells all workers that a message of one recipient is on its way, before it is accepted (docs/decisions/0064). Only a hint:
 * without Redis, or where one is lost, a worker knows it once it has the message.
 */
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

  /** Whether `tell` would tell now: not while what was told last is fresh, nor while Redis is away. */
  get isDue(): boolean {
    return this.redis.ready && performance.now() - this.toldAt >= EVERY_MS;
  }

  /** Never waits and never fails. */
  tell(): void {
    if (!this.isDue) return;
    this.toldAt = performance.now();
    // A stream, which all read that wait for it; its entries say nothing.
    const calls = this.redis.client.multi().xadd(this.key, 'MAXLEN', 1, '*', 'single', '');
    calls
      .pexpire(this.key, KEPT_MS)
      .exec()
      .catch(() => undefined);
  }

  /** Hears what any process tells, as long as this one lives. What is told between two looks is lost. */
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
