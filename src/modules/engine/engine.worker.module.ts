import { type DynamicModule, Module } from '@nestjs/common';
import { QueuesModule } from '../../platform/queues/index.js';
import { AccountDirectoryModule } from '../accounts/index.js';
import { ProvidersWorkerModule } from '../providers/index.js';
import { OrphanSweeper } from './accept/orphan-sweeper.js';
import type { Channel } from './channel.js';
import { EngineDispatchModule } from './engine.dispatch.module.js';
import { DueLanesMonitor } from './dispatch/due-lanes-monitor.js';
import { Governor } from './dispatch/governor.js';
import { LaneFailover } from './dispatch/lane-failover.js';
import { LaneRunner } from './dispatch/lane-runner.js';
import { RouteHomes } from './dispatch/route-homes.js';
import { RouteTurns } from './dispatch/route-turns.js';
import { LaneSettlement } from './dispatch/lane-settlement.js';
import { LostNotes } from './dispatch/lost-notes.js';
import { StandingAside } from './dispatch/standing-aside.js';
import { SubmitNotes } from './dispatch/submit-notes.js';
import { TurnOffers } from './dispatch/turn-offers.js';
import { WindowRunner } from './dispatch/window-runner.js';
import { HeldTurns } from './jobs/held-turns.js';
import { processorProvider } from './jobs/queue-processor.js';
import { TurnProcessor } from './jobs/turn-processor.js';
import { Relay } from './dispatch/relay.js';
import { ReceiptSweeper } from './receipts/receipt-sweeper.js';
import { WorkerQueues } from './dispatch/worker-queues.js';
import { UnmatchedReceiptsMonitor } from './receipts/unmatched-monitor.js';

const PROVIDERS = [
  TurnProcessor,
  HeldTurns,
  OrphanSweeper,
  Relay,
  RouteHomes,
  RouteTurns,
  DueLanesMonitor,
  Governor,
  LaneFailover,
  LaneRunner,
  LaneSettlement,
  LostNotes,
  StandingAside,
  SubmitNotes,
  TurnOffers,
  WindowRunner,
  ReceiptSweeper,
  UnmatchedReceiptsMonitor,
  WorkerQueues,
];

/** The engine's worker side: relay, lanes, receipts of long-lived sessions, sweeper. */
@Module({ imports: [EngineDispatchModule, AccountDirectoryModule, ProvidersWorkerModule] })
export class EngineWorkerModule {
  /** @param channels each has a queue that bears its name */
  static of(channels: readonly Channel[]): DynamicModule {
    const queues = channels.map(({ name }) => name);
    return {
      module: EngineWorkerModule,
      imports: [QueuesModule.of(queues)],
      providers: [...PROVIDERS, ...queues.map(processorProvider)],
    };
  }
}
