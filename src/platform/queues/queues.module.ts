import { Module } from '@nestjs/common';
import { RedisModule } from '../redis/index.js';
import { SecurityModule } from '../security/index.js';
import { HolderTurns } from './holder-turns.js';
import { RelayNotifier } from './relay-notifier.js';
import { SingleNotices } from './single-notices.js';
import { TurnQueues } from './turn-queues.js';

/** For processes that take and make jobs (the worker). */
@Module({
  imports: [RedisModule, SecurityModule],
  providers: [TurnQueues, HolderTurns],
  exports: [TurnQueues, HolderTurns],
})
export class QueuesModule {}

/** For processes that only wake the relay and tell of messages (the API): no Bull, and no connection of their own. */
@Module({
  imports: [SecurityModule],
  providers: [RelayNotifier, SingleNotices],
  exports: [RelayNotifier, SingleNotices],
})
export class RelayNotifierModule {}
