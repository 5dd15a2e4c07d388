import { Inject, Injectable } from '@nestjs/common';
import type { QueueOptions } from 'bull';
import { ENVIRONMENT, type Environment } from '../config/index.js';
import { type RedisClient, RedisClients } from '../redis/index.js';
import { LOCK_MS, queuePrefix } from './queues.js';

/** How long a processor that could not ask for a job waits before it asks again. */
const RETRY_MS = 1_000;

/**
 * What `BullModule` makes queues of. All queues of a process share one connection for commands and one for what Redis
 * publishes; each has one of its own to wait for jobs.
 */
@Injectable()
export class QueueSettings {
  private readonly shared = new Map<string, RedisClient>();

  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'REDIS_PREFIX'>,
    private readonly clients: RedisClients,
  ) {}

  /** @param name of a queue */
  of(name: string): QueueOptions {
    return {
      prefix: queuePrefix(this.environment.REDIS_PREFIX, name),
      createClient: (type) => this.client(type),
      defaultJobOptions: { removeOnComplete: true, removeOnFail: true, attempts: 1 },
      settings: {
        lockDuration: LOCK_MS,
        stalledInterval: 5_000,
        maxStalledCount: 10,
        retryProcessDelay: RETRY_MS,
      },
    };
  }

  /** Bull needs connections that never give up; only the relay adds, within a time limit. */
  private client(type: 'client' | 'subscriber' | 'bclient'): RedisClient {
    if (type === 'bclient') return this.clients.open('bull');
    const client = this.shared.get(type) ?? this.clients.open('bull');
    client.setMaxListeners(0); // every queue listens to it
    this.shared.set(type, client);
    return client;
  }
}
