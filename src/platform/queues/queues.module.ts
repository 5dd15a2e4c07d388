import { Module } from '@nestjs/common';
import { RelayNotifier } from './relay-notifier.js';
import { TurnQueues } from './turn-queues.js';

/** For processes that take and make jobs (the worker). */
@Module({ providers: [TurnQueues], exports: [TurnQueues] })
export class QueuesModule {}

/** For processes that only wake the relay (the API): no Bull connection, one plain Redis connection. */
@Module({ providers: [RelayNotifier], exports: [RelayNotifier] })
export class RelayNotifierModule {}
