import { Inject, Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { within } from '../concurrency/index.js';
import { ENVIRONMENT, type Environment } from '../config/index.js';
import { type RedisClient, RedisClients } from '../redis/index.js';

const ANSWER_MS = 300;
const FIRST_CONNECTION_MS = 1_000;

/**
 * This process's connection to Redis for counters. Nothing waits for it: a command on a missing Redis fails at once,
 * on a silent one after 300 ms, and the caller goes on without it.
 */
@Injectable()
export class RedisLink implements OnModuleInit, OnApplicationShutdown {
  readonly client: RedisClient;
  /**
   * Put before every key, so that installations can share a server. Without a hash tag: counters and marks spread over the
   * masters of a cluster, and no command takes two of them.
   */
  readonly prefix: string;
  private readonly logger = new Logger('Redis');
  private away = false;

  constructor(@Inject(ENVIRONMENT) environment: Pick<Environment, 'REDIS_PREFIX'>, clients: RedisClients) {
    this.prefix = environment.REDIS_PREFIX;
    this.client = clients.open('commands', { isLazy: true });
    this.client.on('error', () => this.note(true));
    this.client.on('ready', () => this.note(false));
  }

  /** True while commands can be sent. */
  get ready(): boolean {
    return this.client.status === 'ready';
  }

  /** What Redis answers within 300 ms; null when it is away or silent. */
  answer<T>(command: () => Promise<T>): Promise<T | null> {
    if (!this.ready) return Promise.resolve(null);
    const asking = async (): Promise<T | null> => command().catch(() => null);
    return within(ANSWER_MS, asking());
  }

  /** Answers within 300 ms. */
  async ping(): Promise<boolean> {
    return (await this.answer(() => this.client.ping())) !== null;
  }

  /** Waits a second for the first connection, no longer: the process must start without Redis too. */
  async onModuleInit(): Promise<void> {
    await within(
      FIRST_CONNECTION_MS,
      this.client.connect().catch(() => undefined),
    );
  }

  onApplicationShutdown(): void {
    this.client.disconnect();
  }

  private note(away: boolean): void {
    if (away === this.away) return;
    this.away = away;
    if (away) this.logger.warn('Redis is away: limits are counted in this process until it is back');
    else this.logger.log('Redis is back');
  }
}
