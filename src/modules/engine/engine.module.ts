import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { TracingModule } from '../../platform/observability/index.js';
import { RelayNotifierModule } from '../../platform/queues/index.js';
import { AccountDirectoryModule } from '../accounts/index.js';
import { CreditsModule } from '../credits/index.js';
import { CustomerEventsModule } from '../customer-events/index.js';
import { IdempotencyModule } from '../idempotency/index.js';
import { ReceiptSink, RoutesModule } from '../providers/index.js';
import { RatesModule } from '../rates/index.js';
import { RoutingModule } from '../routing/index.js';
import { TrafficModule } from '../traffic/index.js';
import { CampaignAcceptance } from './accept/campaign-acceptance.js';
import { StagedRecipients } from './accept/staged-recipients.js';
import { Submissions } from './accept/submissions.js';
import { AttemptReader } from './state/attempt-reader.js';
import { CampaignBriefs } from './state/campaign-briefs.js';
import { CampaignReader } from './state/campaign-reader.js';
import { CampaignStates } from './state/campaign-states.js';
import { CampaignTraces } from './state/campaign-traces.js';
import { CampaignWriter } from './accept/campaign-writer.js';
import { campaignEntities } from './state/campaign.entities.js';
import { RetryStore } from './settle/retry-store.js';
import { ReceiptLookup } from './receipts/receipt-lookup.js';
import { ReceiptTraces } from './receipts/receipt-traces.js';
import { ReceiptWriter } from './receipts/receipt-writer.js';
import { UnmatchedStore } from './receipts/unmatched-store.js';
import { Refunds } from './settle/refunds.js';
import { RouteChangeReader } from './state/route-change-reader.js';
import { RouteMoves } from './dispatch/route-moves.js';
import { RouteQueues } from './state/route-queues.js';
import { RouteSenders } from './state/route-senders.js';
import { Settlement } from './settle/settlement.js';
import { EarlierCampaigns } from './accept/earlier-campaigns.js';
import { SingleSignals } from './accept/single-signals.js';
import { ShortBalances } from './accept/short-balances.js';
import { StatusEvents } from './settle/status-events.js';
import { TestSends } from './test-sends.js';
import { TimelineSources } from './timeline-sources.js';
import { CampaignReceipts } from './receipts/campaign-receipts.js';
import { ReceiptListeners } from './receipts/receipt-listeners.js';

const SERVICES = [
  AttemptReader,
  CampaignAcceptance,
  CampaignReader,
  CampaignReceipts,
  CampaignStates,
  CampaignTraces,
  CampaignWriter,
  ReceiptListeners,
  ReceiptLookup,
  ReceiptTraces,
  ReceiptWriter,
  Refunds,
  RetryStore,
  RouteChangeReader,
  RouteMoves,
  RouteQueues,
  RouteSenders,
  Settlement,
  ShortBalances,
  EarlierCampaigns,
  SingleSignals,
  CampaignBriefs,
  StagedRecipients,
  StatusEvents,
  Submissions,
  TestSends,
  TimelineSources,
  UnmatchedStore,
];

/**
 * The engine that every process has: accepting, reading, settling, receipts. Global, because the providers module hands
 * receipts to `ReceiptSink` and must not import the engine (the engine imports the providers).
 */
@Global()
@Module({
  imports: [
    TypeOrmModule.forFeature(campaignEntities),
    AccountDirectoryModule,
    CreditsModule,
    CustomerEventsModule,
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
