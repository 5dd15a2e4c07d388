import { type DynamicModule, Module } from '@nestjs/common';
import { QueuesModule } from '../../platform/queues/index.js';
import { AccountDirectoryModule } from '../accounts/index.js';
import { ProvidersWorkerModule } from '../providers/index.js';
import { OrphanSweeper } from './accept/large-drafts.js';
import type { Channel } from './channel.js';
import { EngineDispatchModule } from './engine.dispatch.module.js';
import { DueLanesMonitor } from './dispatch/metrics.js';
import { Governor } from './dispatch/capacity.js';
import { CarrierChoice } from './dispatch/carrier-choice.js';
import { LaneFailover } from './dispatch/route-down.js';
import { LaneRunner } from './dispatch/lane-runner.js';
import { SlotOwners, JobOffers, HeldJobs, WorkerQueues } from './dispatch/job-routing.js';
import { RouteJobs } from './dispatch/route-job.js';
import { LaneSettlement } from './dispatch/lane-settlement.js';
import { LostSubmitLogs, SubmitLogs } from './dispatch/submit-log.js';
import { UrgentBound } from './dispatch/urgent-bound.js';
import { BatchRunner } from './dispatch/batch-runner.js';
import { processorProviders, RouteProcessor } from './route-job.processor.js';
import { Relay } from './dispatch/relay.js';
import { ReceiptSweeper } from './receipts/receipt-sweeper.js';
import { UnmatchedReceiptsMonitor } from './receipts/unmatched-store.js';

const PROVIDERS = [
  RouteProcessor,
  HeldJobs,
  OrphanSweeper,
  Relay,
  SlotOwners,
  RouteJobs,
  DueLanesMonitor,
  Governor,
  CarrierChoice,
  LaneFailover,
  LaneRunner,
  LaneSettlement,
  LostSubmitLogs,
  SubmitLogs,
  UrgentBound,
  JobOffers,
  BatchRunner,
  ReceiptSweeper,
  UnmatchedReceiptsMonitor,
  WorkerQueues,
];

/** The worker side of the engine: relay, lanes, session receipts, sweepers. */
@Module({ imports: [EngineDispatchModule, AccountDirectoryModule, ProvidersWorkerModule] })
export class EngineWorkerModule {
  static of(channels: readonly Channel[]): DynamicModule {
    const queues = channels.map(({ name }) => name);
    return {
      module: EngineWorkerModule,
      imports: [QueuesModule.of(queues)],
      providers: [...PROVIDERS, ...queues.flatMap(processorProviders)],
    };
  }
}
