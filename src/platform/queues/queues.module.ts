import { BullModule } from '@nestjs/bull';
import { Module } from '@nestjs/common';
import type { QueueOptions } from 'bull';
import { Redis } from 'ioredis';
import { ENVIRONMENT, type Environment } from '../config/index.js';
import { LaneQueues } from './lane-queues.js';
import { RelayNotifier } from './relay-notifier.js';
import { QUEUES, QUEUE_NAMES } from './queues.js';

/**
 * Bull on Redis. MySQL is the truth: completed and failed jobs are removed, and an emptied Redis is refilled by the relay.
 * The prefix stands in braces so that all keys of a queue share a hash slot on Redis Cluster.
 */
@Module({
  imports: [
    BullModule.forRootAsync({
      inject: [ENVIRONMENT],
      useFactory: (environment: Environment): QueueOptions => ({
        prefix: `{${environment.REDIS_PREFIX}}`,
        // Bull needs connections that never give up (blocking reads wait for ever); only the relay adds, within a time limit.
        createClient: () =>
          new Redis(environment.REDIS_URL, {
            maxRetriesPerRequest: null,
            enableReadyCheck: false,
            retryStrategy: (attempt) => Math.min(attempt * 200, 2_000),
          }),
        defaultJobOptions: { removeOnComplete: true, removeOnFail: true, attempts: 1 },
      }),
    }),
    ...QUEUE_NAMES.map((name) =>
      BullModule.registerQueue({
        name,
        settings: { lockDuration: QUEUES[name].lockDuration, stalledInterval: 5_000, maxStalledCount: 10 },
      }),
    ),
  ],
  providers: [LaneQueues],
  exports: [BullModule, LaneQueues],
})
export class QueuesModule {}

/** For processes that only wake the relay (the API): no Bull connection, one plain Redis connection. */
@Module({ providers: [RelayNotifier], exports: [RelayNotifier] })
export class RelayNotifierModule {}
