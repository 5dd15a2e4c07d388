import { Module } from '@nestjs/common';
import { QueuesModule } from '../../platform/queues/index.js';
import { AccountDirectoryModule } from '../accounts/index.js';
import { ProvidersWorkerModule } from '../providers/index.js';
import { EngineModule } from './engine.module.js';
import { LaneRunner } from './dispatch/lane-runner.js';
import { LaneProcessor } from './jobs/lane-processor.js';
import { Relay } from './dispatch/relay.js';
import { ReceiptSweeper } from './receipts/receipt-sweeper.js';
import { WorkerQueues } from './dispatch/worker-queues.js';
import { LaneStore } from './dispatch/lane-store.js';
import { RoutePace } from './dispatch/route-pace.js';
import { UnknownOutcomes } from './receipts/unknown-outcomes.js';
import { WindowResults } from './settle/window-results.js';
import { OverdueReceipts } from './receipts/overdue-receipts.js';
import { UnmatchedReceipts } from './receipts/unmatched-receipts.js';
import { UnmatchedReceiptsMonitor } from './receipts/unmatched-monitor.js';

/** The engine's worker side: relay, lanes, receipts of long-lived sessions, sweeper. */
@Module({
  imports: [EngineModule, AccountDirectoryModule, ProvidersWorkerModule, QueuesModule],
  providers: [
    LaneProcessor,
    LaneRunner,
    LaneStore,
    OverdueReceipts,
    UnmatchedReceipts,
    Relay,
    RoutePace,
    ReceiptSweeper,
    UnknownOutcomes,
    UnmatchedReceiptsMonitor,
    WindowResults,
    WorkerQueues,
  ],
})
export class EngineWorkerModule {}
