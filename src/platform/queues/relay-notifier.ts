import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { within } from '../concurrency/index.js';
import { ENVIRONMENT, type Environment } from '../config/index.js';
import { type RedisClient, RedisClients } from '../redis/index.js';
import { RedisLink } from '../security/index.js';

const NOTIFY_EVERY_MS = 5;
/** Rings of a channel that no relay took: its own look finds what the others were about. */
const MOST_RINGS = 1_000;
const KEPT_MS = 60_000;
const RINGS_A_TIME = 100;
const LISTENED_SECONDS = 5;
/** A listener that has no answer by then has lost its connection without a word. */
const SILENT_MS = 2_000 * LISTENED_SECONDS;
const AGAIN_MS = 500;

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
  private readonly connections: RedisClient[] = [];
  private readonly pending = new Map<string, Set<string>>();
  private timer: NodeJS.Timeout | null = null;
  private hasEnded = false;

  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'REDIS_PREFIX'>,
    private readonly clients: RedisClients,
    private readonly redis: RedisLink,
  ) {}

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
    const connection = this.clients.open('blocking');
    this.connections.push(connection);
    void this.take(channels, connection, onDue);
  }

  onApplicationShutdown(): void {
    this.hasEnded = true;
    if (this.timer) clearTimeout(this.timer);
    for (const connection of this.connections) connection.disconnect();
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

  private async take(
    channels: readonly string[],
    connection: RedisClient,
    onDue: (due: DueRoute[]) => Promise<void>,
  ): Promise<void> {
    const byKey = new Map(channels.map((channel) => [this.key(channel), channel]));
    while (!this.hasEnded) {
      if (connection.status !== 'ready') await once(connection, 'ready').catch(() => undefined);
      const taken = await within(
        SILENT_MS,
        connection.blpop([...byKey.keys()], LISTENED_SECONDS).then(
          (ring) => ring ?? 'none',
          () => sleep(AGAIN_MS, 'none' as const),
        ),
      );
      if (taken === null) connection.disconnect(true);
      if (taken === null || taken === 'none') continue;
      const [key, first] = taken;
      const more = await connection.lpop(key, RINGS_A_TIME).catch(() => null);
      const rings = new Set([first, ...(more ?? [])]);
      await onDue([...rings].map((ring) => readRing(byKey.get(key) ?? '', ring)));
    }
  }

  /** One hash slot for all channels, so that one command may wait for all of them. */
  private key(channel: string): string {
    return `{${this.environment.REDIS_PREFIX}:due}:${channel}`;
  }
}
