import { Inject, Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { within } from '../concurrency/index.js';
import { ENVIRONMENT, type Environment } from '../config/index.js';
import { type RedisClient, RedisClients } from './redis-clients.js';

const ANSWER_MS = 300;
const FIRST_CONNECTION_MS = 1_000;
/** Backoff after a failed command, so that a silent Redis delays few requests. */
const BACKOFF_MS = 2_000;

/** Redis connection for counters. Commands fail at once without a connection and after 300 ms of silence; callers continue. */
@Injectable()
export class RedisLink implements OnModuleInit, OnApplicationShutdown {
  readonly client: RedisClient;
  /** Prefix of every key of this installation. No hash tag: keys spread over a cluster, and no command uses two of them. */
  readonly prefix: string;
  private readonly logger = new Logger('Redis');
  private away = false;

  constructor(@Inject(ENVIRONMENT) environment: Pick<Environment, 'REDIS_PREFIX'>, clients: RedisClients) {
    this.prefix = environment.REDIS_PREFIX;
    this.client = clients.open('commands', { isLazy: true });
    this.client.on('error', () => this.record(true));
    this.client.on('ready', () => this.record(false));
  }

  get ready(): boolean {
    return this.client.status === 'ready';
  }

  /** The answer of Redis within 300 ms; null when it is away or silent. */
  answer<T>(command: () => Promise<T>): Promise<T | null> {
    if (!this.ready) return Promise.resolve(null);
    const asking = async (): Promise<T | null> => command().catch(() => null);
    return within(ANSWER_MS, asking());
  }

  async ping(): Promise<boolean> {
    return (await this.answer(() => this.client.ping())) !== null;
  }

  /** Waits at most one second for the first connection: the process must start without Redis too. */
  async onModuleInit(): Promise<void> {
    await within(
      FIRST_CONNECTION_MS,
      this.client.connect().catch(() => undefined),
    );
  }

  onApplicationShutdown(): void {
    this.client.disconnect();
  }

  private record(away: boolean): void {
    if (away === this.away) return;
    this.away = away;
    if (away) this.logger.warn('Redis is away: limits are counted in this process until it is back');
    else this.logger.log('Redis is back');
  }
}

/** Asks Redis for the counts of one class, and leaves it alone for a while after a failure. */
export class RedisCounts {
  private backoffUntil = 0;

  /** @param isPatient waits as long as a command may take, so that a busy process does not count apart from the others */
  constructor(
    private readonly link: RedisLink,
    private readonly isPatient = false,
  ) {}

  /** The answer of Redis, or null while it is away. */
  async ask<T>(command: () => Promise<T>): Promise<T | null> {
    if (!this.link.ready || performance.now() < this.backoffUntil) return null;
    const answer = await (this.isPatient ? command().catch(() => null) : this.link.answer(command));
    if (answer === null) this.backoffUntil = performance.now() + BACKOFF_MS;
    return answer;
  }
}
