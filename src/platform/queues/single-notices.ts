import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { BLOCKED_SECONDS, BlockingReads, RedisClients } from '../redis/index.js';
import { RedisLink } from '../security/index.js';

/** So often at the most a process tells: what is told holds for longer. */
const EVERY_MS = 200;
const KEPT_MS = 60_000;

/**
 * Tells all workers that a message of one recipient is on its way, before it is accepted (docs/decisions/0064). Only a hint:
 * without Redis, or where one is lost, a worker knows it once it has the message.
 */
@Injectable()
export class SingleNotices implements OnApplicationShutdown {
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
