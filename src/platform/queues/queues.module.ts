import { BullModule, getQueueToken } from '@nestjs/bull';
import { type DynamicModule, Inject, Injectable, Module } from '@nestjs/common';
import type { Queue, QueueOptions } from 'bull';
import { type Environment, ENVIRONMENT } from '../config/index.js';
import { type RedisClient, RedisClients, RedisModule } from '../redis/index.js';
import { SecurityModule } from '../security/index.js';
import { HolderJobs } from './holder-turns.js';
import { LOCK_MS, queuePrefix, type RouteJob, JobQueues } from './route-jobs.js';
import { RelayNotifier, SingleSignalStream } from './worker-signals.js';

/** How long a processor that could not ask for a job waits before it asks again. */
const RETRY_MS = 1_000;

/**
 * What `BullModule` makes queues of. All queues of a process share one connection for commands and one for what Redis
 * publishes; each has one of its own to wait for jobs.
 */
@Injectable()
class QueueSettings {
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

@Module({ imports: [RedisModule], providers: [QueueSettings], exports: [QueueSettings] })
class QueueSettingsModule {}

/** For processes that take and make jobs (the worker). */
@Module({})
export class QueuesModule {
  /** @param names of all queues, also of those that this process does not serve */
  static of(names: readonly string[]): DynamicModule {
    const queues = names.map((name) => ({
      name,
      imports: [QueueSettingsModule],
      inject: [QueueSettings],
      useFactory: (settings: QueueSettings) => settings.of(name),
    }));
    return {
      module: QueuesModule,
      imports: [SecurityModule, BullModule.registerQueueAsync(...queues)],
      providers: [
        {
          provide: JobQueues,
          useFactory: (...all: Queue<RouteJob>[]) => JobQueues.of(all),
          inject: names.map((name) => getQueueToken(name)),
        },
        HolderJobs,
      ],
      exports: [JobQueues, HolderJobs],
    };
  }
}

/** For processes that only wake the relay and tell of messages (the API): no Bull, and no connection of their own. */
@Module({
  imports: [SecurityModule],
  providers: [RelayNotifier, SingleSignalStream],
  exports: [RelayNotifier, SingleSignalStream],
})
export class RelayNotifierModule {}
