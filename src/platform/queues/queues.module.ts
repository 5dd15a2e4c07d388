import { BullModule, getQueueToken } from '@nestjs/bull';
import { type DynamicModule, Inject, Injectable, Module } from '@nestjs/common';
import type { Queue, QueueOptions } from 'bull';
import { type Environment, ENVIRONMENT } from '../config/index.js';
import { type RedisClient, RedisClients, RedisModule } from '../redis/index.js';
import { SecurityModule } from '../security/index.js';
import { HolderJobs } from './holder-jobs.js';
import { LOCK_MS, queuePrefix, queuesOf, type RouteJob, JobQueues } from './route-jobs.js';
import { RelayNotifier } from './worker-signals.js';

/** Delay after a failed request for a job. */
const RETRY_MS = 1_000;

/** Options of Bull: queues share a connection for commands and one for subscriptions; each has its own for blocking reads. */
@Injectable()
class QueueSettings {
  private readonly shared = new Map<string, RedisClient>();

  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'REDIS_PREFIX'>,
    private readonly clients: RedisClients,
  ) {}

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

  /** Bull needs connections that never fail; only the relay adds jobs, with a timeout. */
  private client(type: 'client' | 'subscriber' | 'bclient'): RedisClient {
    if (type === 'bclient') return this.clients.open('bull');
    const client = this.shared.get(type) ?? this.clients.open('bull');
    client.setMaxListeners(0); // all queues share it
    this.shared.set(type, client);
    return client;
  }
}

@Module({ imports: [RedisModule], providers: [QueueSettings], exports: [QueueSettings] })
class QueueSettingsModule {}

/** For processes that add and take jobs (the worker). */
@Module({})
export class QueuesModule {
  /** @param channels all, including those not served here */
  static of(channels: readonly string[]): DynamicModule {
    const names = channels.flatMap(queuesOf);
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

/** For processes that only notify the relay and signal messages (the API): no Bull, no connection of their own. */
@Module({
  imports: [SecurityModule],
  providers: [RelayNotifier],
  exports: [RelayNotifier],
})
export class RelayNotifierModule {}
