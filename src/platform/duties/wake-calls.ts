import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { within } from '../concurrency/index.js';
import { type RedisClient, RedisClients } from '../redis/index.js';
import { RedisLink } from '../security/index.js';

/** Calls of one name within so long are one. */
const GATHERED_MS = 5;
/** A call that no process has taken by then is forgotten. */
const KEPT_MS = 60_000;
const LISTENED_SECONDS = 5;
/** A listener that has no answer by then has lost its connection without a word. */
const SILENT_MS = 2_000 * LISTENED_SECONDS;
const AGAIN_MS = 500;

/**
 * Wakes one of the processes that listen to a name, the one that waits longest, so that work that is due now need not
 * wait for the next look. Only a hint: calls are lost with Redis or with the process that took one, and the look
 * (`DueWatch`) finds the work by itself.
 */
@Injectable()
export class WakeCalls implements OnApplicationShutdown {
  private readonly pending = new Map<string, NodeJS.Timeout>();
  private readonly listeners = new Map<string, () => Promise<void>>();
  private readonly connections: RedisClient[] = [];
  private hasEnded = false;

  constructor(
    private readonly clients: RedisClients,
    private readonly redis: RedisLink,
  ) {}

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
    const connection = this.clients.open('blocking');
    this.connections.push(connection);
    void this.take(name, connection, work);
  }

  onApplicationShutdown(): void {
    this.hasEnded = true;
    for (const timer of this.pending.values()) clearTimeout(timer);
    for (const connection of this.connections) connection.disconnect();
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

  private async take(name: string, connection: RedisClient, work: () => Promise<void>): Promise<void> {
    while (!this.hasEnded) {
      if (connection.status !== 'ready') await once(connection, 'ready').catch(() => undefined);
      const asking = connection.blpop(this.key(name), LISTENED_SECONDS).then(
        (taken) => (taken ? work : none),
        () => () => sleep(AGAIN_MS),
      );
      const next = await within(SILENT_MS, asking);
      if (next) await next();
      else connection.disconnect(true);
    }
  }
}

const none = (): Promise<void> => Promise.resolve();
