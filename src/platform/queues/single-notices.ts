import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { within } from '../concurrency/index.js';
import { type RedisClient, RedisClients } from '../redis/index.js';
import { RedisLink } from '../security/index.js';

/** So often at the most a process tells: what is told holds for longer. */
const EVERY_MS = 200;
const KEPT_MS = 60_000;
const LISTENED_MS = 5_000;
/** A listener that has no answer by then has lost its connection without a word. */
const SILENT_MS = 2 * LISTENED_MS;
const AGAIN_MS = 500;

/**
 * Tells all workers that a message of one recipient is on its way, before it is accepted (docs/decisions/0066). Only a hint:
 * without Redis, or where one is lost, a worker knows it once it has the message.
 */
@Injectable()
export class SingleNotices implements OnApplicationShutdown {
  private readonly connections: RedisClient[] = [];
  private toldAt = -Infinity;
  private hasEnded = false;

  constructor(
    private readonly clients: RedisClients,
    private readonly redis: RedisLink,
  ) {}

  /** Never waits and never fails. */
  tell(): void {
    const now = performance.now();
    if (now - this.toldAt < EVERY_MS || !this.redis.ready) return;
    this.toldAt = now;
    // A stream, which all read that wait for it; its entries say nothing.
    const calls = this.redis.client.multi().xadd(this.key, 'MAXLEN', 1, '*', 'single', '');
    calls
      .pexpire(this.key, KEPT_MS)
      .exec()
      .catch(() => undefined);
  }

  /** Hears what any process tells, as long as this one lives. What is told between two looks is lost. */
  listen(onNotice: () => void): void {
    const connection = this.clients.open('blocking');
    this.connections.push(connection);
    void this.take(connection, onNotice);
  }

  onApplicationShutdown(): void {
    this.hasEnded = true;
    for (const connection of this.connections) connection.disconnect();
  }

  private async take(connection: RedisClient, onNotice: () => void): Promise<void> {
    while (!this.hasEnded) {
      if (connection.status !== 'ready') await once(connection, 'ready').catch(() => undefined);
      const asking = connection.xread('BLOCK', LISTENED_MS, 'STREAMS', this.key, '$').then(
        (found) => (found ? 'notice' : 'none'),
        () => sleep(AGAIN_MS, 'none'),
      );
      const heard = await within(SILENT_MS, asking);
      if (heard === null) connection.disconnect(true);
      if (heard === 'notice') onNotice();
    }
  }

  private get key(): string {
    return `${this.redis.prefix}:singles`;
  }
}
