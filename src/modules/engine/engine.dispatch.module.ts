import { Module } from '@nestjs/common';
import { TracingModule } from '../../platform/observability/index.js';
import { RoutingModule } from '../routing/index.js';
import { EngineModule } from './engine.module.js';
import { RoutesModule } from '../providers/index.js';
import { DownLanes } from './dispatch/route-down.js';
import { DueLanes } from './dispatch/due-lanes.js';
import { LaneStore } from './state/lane-store.js';
import { BatchClaims } from './dispatch/batch-claims.js';
import { BatchObserver } from './dispatch/metrics.js';
import { RestoredCampaigns } from './restore/restored-campaigns.js';
import { RestoreFence } from './restore/restore-fence.js';
import { RefusedSends } from './settle/refused-sends.js';
import { RoutePace } from './dispatch/pacing.js';
import { LostClaims } from './settle/lost-claims.js';
import { OverdueReceipts } from './receipts/overdue-receipts.js';
import { UnknownOutcomes } from './receipts/unknown-outcomes.js';
import { UnmatchedReceipts } from './receipts/unmatched-receipts.js';
import { Cancellations } from './settle/cancellations.js';
import { BatchSpend } from './settle/batch-spend.js';
import { BatchResults } from './settle/batch-results.js';

const SERVICES = [
  Cancellations,
  DownLanes,
  DueLanes,
  LaneStore,
  LostClaims,
  OverdueReceipts,
  RefusedSends,
  RestoredCampaigns,
  RestoreFence,
  RoutePace,
  UnknownOutcomes,
  UnmatchedReceipts,
  BatchClaims,
  BatchResults,
  BatchSpend,
  BatchObserver,
];

/** Worker services for lanes and receipts. Starts nothing by itself; see `EngineWorkerModule`. */
@Module({ imports: [TracingModule, EngineModule, RoutingModule, RoutesModule], providers: SERVICES, exports: SERVICES })
export class EngineDispatchModule {}
