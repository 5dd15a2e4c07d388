import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { BLOCKED_SECONDS, BlockingReads, RedisClients } from '../redis/index.js';
import { RedisLink } from '../security/index.js';

/** Calls of one name within so long are one. */
const GATHERED_MS = 5;
/** A call that no process has taken by then is forgotten. */
const KEPT_MS = 60_000;

/**
 * Wakes one of the processes that listen to a name, the one that waits longest, so that work that is due now need not
 * wait for the next look. Only a hint: calls are lost with Redis or with the process that took one, and the look
 * (`DueWatch`) finds the work by itself.
 */
@Injectable()
export class WakeCalls implements OnApplicationShutdown {
  private readonly pending = new Map<string, NodeJS.Timeout>();
  private readonly listeners = new Map<string, () => Promise<void>>();
  private readonly reads: BlockingReads;
  private hasEnded = false;

  constructor(
    clients: RedisClients,
    private readonly redis: RedisLink,
  ) {
    this.reads = new BlockingReads(clients);
  }

  /** Wakes one listener soon. Never waits and never fails; without Redis it reaches the listener of this process only. */
  wake(name: string): void {
    if (this.pending.has(name) || this.hasEnded) return;
    const timer = setTimeout(() => {
      this.pending.delete(name);
      this.call(name);
    }, GATHERED_MS);
    this.pending.set(name, timer);
  }

  /**
   * Takes the calls of a name, one at a time: while `work` runs, the next one goes to another process.
   * @param work never rejects
   */
  listen(name: string, work: () => Promise<void>): void {
    this.listeners.set(name, work);
    this.reads.start((connection) => connection.blpop(this.key(name), BLOCKED_SECONDS), work);
  }

  onApplicationShutdown(): void {
    this.hasEnded = true;
    for (const timer of this.pending.values()) clearTimeout(timer);
    this.reads.end();
  }

  private key(name: string): string {
    return `${this.redis.prefix}:wake:${name}`;
  }

  private call(name: string): void {
    const { client, ready } = this.redis;
    if (!ready) return void this.listeners.get(name)?.();
    const key = this.key(name);
    // At most one waits to be taken: it stands for all.
    const calls = client.multi().lpush(key, '').ltrim(key, 0, 0).pexpire(key, KEPT_MS);
    calls.exec().catch(() => undefined);
  }
}
