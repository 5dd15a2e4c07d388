import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { TracingModule } from '../../platform/observability/index.js';
import { RelayNotifierModule } from '../../platform/queues/index.js';
import { AccountDirectoryModule } from '../accounts/index.js';
import { CreditsModule } from '../credits/index.js';
import { CustomerEventsModule } from '../customer-events/index.js';
import { GuardModule } from '../guard/index.js';
import { IdempotencyModule } from '../idempotency/index.js';
import { ReceiptSink, RoutesModule } from '../providers/index.js';
import { RatesModule } from '../rates/index.js';
import { RoutingModule } from '../routing/index.js';
import { TrafficModule } from '../traffic/index.js';
import { CampaignAcceptance } from './accept/campaign-acceptance.js';
import { CampaignStorage } from './accept/campaign-storage.js';
import { LargeDraftRecipients } from './accept/large-drafts.js';
import { Submissions } from './accept/submissions.js';
import { AttemptReader, ReceiptLookup } from './receipts/receipt-lookup.js';
import { CampaignBriefs, CampaignTraces } from './state/campaign-briefs.js';
import { CampaignStates } from './state/campaign-states.js';
import { CampaignWriter } from './accept/campaign-writer.js';
import { campaignEntities } from './tables.js';
import { RetryStore } from './state/retries.js';
import { ReceiptTraces, ReceiptListeners } from './receipts/receipt-listeners.js';
import { ReceiptWriter } from './receipts/receipt-writer.js';
import { UnmatchedStore } from './receipts/unmatched-store.js';
import { Refunds, Settlement } from './settle/settlement.js';
import { RouteMoves } from './dispatch/route-moves.js';
import { LaneMoves } from './state/lane-moves.js';
import { RouteQueues } from './state/route-queues.js';
import { RouteSenders } from './settle/route-senders.js';
import { EarlierCampaigns, ShortBalances } from './accept/draft-answers.js';
import { StatusEvents } from './settle/status-events.js';
import { TimelineSources } from './channels.js';
import { CampaignReceipts } from './receipts/campaign-receipts.js';

const SERVICES = [
  AttemptReader,
  CampaignAcceptance,
  CampaignReceipts,
  CampaignStates,
  CampaignStorage,
  CampaignTraces,
  CampaignWriter,
  ReceiptListeners,
  ReceiptLookup,
  ReceiptTraces,
  ReceiptWriter,
  Refunds,
  LaneMoves,
  RetryStore,
  RouteMoves,
  RouteQueues,
  RouteSenders,
  Settlement,
  ShortBalances,
  EarlierCampaigns,
  CampaignBriefs,
  LargeDraftRecipients,
  StatusEvents,
  Submissions,
  TimelineSources,
  UnmatchedStore,
];

/** The engine of every process. Global, so that the providers module reaches `ReceiptSink` without a circular import. */
@Global()
@Module({
  imports: [
    TypeOrmModule.forFeature(campaignEntities),
    AccountDirectoryModule,
    CreditsModule,
    CustomerEventsModule,
    GuardModule,
    IdempotencyModule,
    RatesModule,
    RelayNotifierModule,
    RoutesModule,
    RoutingModule,
    TracingModule,
    TrafficModule,
  ],
  providers: [...SERVICES, { provide: ReceiptSink, useExisting: CampaignReceipts }],
  exports: [...SERVICES, ReceiptSink, RelayNotifierModule],
})
export class EngineModule {}
