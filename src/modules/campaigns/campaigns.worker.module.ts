import { Module } from '@nestjs/common';
import { QueuesModule } from '../../platform/queues/index.js';
import { AccountDirectoryModule } from '../accounts/index.js';
import { ProvidersWorkerModule } from '../providers/index.js';
import { CampaignEngineModule } from './campaigns.module.js';
import { LaneRunner } from './dispatch/lane-runner.js';
import { LaneProcessor } from './jobs/lane-processor.js';
import { Relay } from './dispatch/relay.js';
import { ReceiptSweeper } from './receipts/receipt-sweeper.js';
import { WorkerQueues } from './dispatch/worker-queues.js';
import { LaneStore } from './persistence/lane-store.js';
import { RoutePace } from './persistence/route-pace.js';
import { UnknownOutcomes } from './persistence/unknown-outcomes.js';
import { WindowResults } from './persistence/window-results.js';
import { OverdueReceipts } from './receipts/overdue-receipts.js';
import { ParkedReceipts } from './receipts/parked-receipts.js';
import { UnmatchedReceipts } from './receipts/unmatched-receipts.js';

/** The engine's worker side: relay, lanes, receipts of long-lived sessions, sweeper. */
@Module({
  imports: [CampaignEngineModule, AccountDirectoryModule, ProvidersWorkerModule, QueuesModule],
  providers: [
    LaneProcessor,
    LaneRunner,
    LaneStore,
    OverdueReceipts,
    ParkedReceipts,
    Relay,
    RoutePace,
    ReceiptSweeper,
    UnknownOutcomes,
    UnmatchedReceipts,
    WindowResults,
    WorkerQueues,
  ],
})
export class CampaignsWorkerModule {}
