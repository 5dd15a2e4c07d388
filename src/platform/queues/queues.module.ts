import { BullModule, getQueueToken } from '@nestjs/bull';
import { type DynamicModule, Module } from '@nestjs/common';
import type { Queue } from 'bull';
import { RedisModule } from '../redis/index.js';
import { SecurityModule } from '../security/index.js';
import { HolderTurns } from './holder-turns.js';
import { QueueSettings } from './queue-settings.js';
import type { TurnJob } from './queues.js';
import { RelayNotifier } from './relay-notifier.js';
import { SingleNotices } from './single-notices.js';
import { TurnQueues } from './turn-queues.js';

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
          provide: TurnQueues,
          useFactory: (...all: Queue<TurnJob>[]) => TurnQueues.of(all),
          inject: names.map((name) => getQueueToken(name)),
        },
        HolderTurns,
      ],
      exports: [TurnQueues, HolderTurns],
    };
  }
}

/** For processes that only wake the relay and tell of messages (the API): no Bull, and no connection of their own. */
@Module({
  imports: [SecurityModule],
  providers: [RelayNotifier, SingleNotices],
  exports: [RelayNotifier, SingleNotices],
})
export class RelayNotifierModule {}
