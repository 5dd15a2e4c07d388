import { Module } from '@nestjs/common';
import { LaneQueues } from './lane-queues.js';
import { RelayNotifier } from './relay-notifier.js';

/** For processes that take and make jobs (the worker). */
@Module({ providers: [LaneQueues], exports: [LaneQueues] })
export class QueuesModule {}

/** For processes that only wake the relay (the API): no Bull connection, one plain Redis connection. */
@Module({ providers: [RelayNotifier], exports: [RelayNotifier] })
export class RelayNotifierModule {}
