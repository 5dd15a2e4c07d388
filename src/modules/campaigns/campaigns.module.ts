import { Global, Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { TypeOrmModule } from '@nestjs/typeorm';
import { RelayBellModule } from '../../platform/queues/index.js';
import { AccountDirectoryModule, AccountsModule } from '../accounts/index.js';
import { CreditsModule } from '../credits/index.js';
import { CustomerEventsModule } from '../customer-events/index.js';
import { IdempotencyModule } from '../idempotency/index.js';
import { ReceiptSink, RoutesModule } from '../providers/index.js';
import { CampaignAcceptance } from './acceptance/campaign-acceptance.js';
import { CampaignRetry } from './acceptance/campaign-retry.js';
import { AttemptJournals } from './attempt-journals.js';
import { ChannelOffers } from './channel-offers.js';
import { ChannelRegistry } from './channel-registry.js';
import { ClosedAccounts } from './closed-accounts.js';
import { ChangeCampaignHandler } from './commands/change-campaign.handler.js';
import { RetryFailedHandler } from './commands/retry-failed.handler.js';
import { CampaignController } from './http/campaign.controller.js';
import { CampaignsController } from './http/campaigns.controller.js';
import { ContactsController } from './http/contacts.controller.js';
import { RecipientsController } from './http/recipients.controller.js';
import { AttemptReader } from './persistence/attempt-reader.js';
import { CampaignList } from './persistence/campaign-list.js';
import { CampaignReader } from './persistence/campaign-reader.js';
import { CampaignStates } from './persistence/campaign-states.js';
import { CampaignWriter } from './persistence/campaign-writer.js';
import { campaignEntities } from './persistence/campaign.entities.js';
import { ContactReader } from './persistence/contact-reader.js';
import { FailedRecipients } from './persistence/failed-recipients.js';
import { RecipientSearch } from './persistence/recipient-search.js';
import { RetryStore } from './persistence/retry-store.js';
import { RetryPlans } from './persistence/retry-plans.js';
import { ReceiptStore } from './persistence/receipt-store.js';
import { RouteSenders } from './persistence/route-senders.js';
import { Settlement } from './persistence/settlement.js';
import { StatusEvents } from './persistence/status-events.js';
import { ProgressFeed } from './progress/progress-feed.js';
import { CampaignViews } from './queries/campaign-views.js';
import { ContactViews } from './queries/contact-views.js';
import { ExportContactsHandler } from './queries/export-contacts.handler.js';
import { FindRecipientsHandler } from './queries/find-recipients.handler.js';
import { GetCampaignHandler } from './queries/get-campaign.handler.js';
import { GetTimelineHandler } from './queries/get-timeline.handler.js';
import { ListCampaignsHandler } from './queries/list-campaigns.handler.js';
import { ListContactsHandler } from './queries/list-contacts.handler.js';
import { QuoteCampaignHandler } from './queries/quote-campaign.handler.js';
import { ReviewCampaignHandler } from './queries/review-campaign.handler.js';
import { ReviewCampaignsHandler } from './queries/review-campaigns.handler.js';
import { WatchCampaignHandler } from './queries/watch-campaign.handler.js';
import { RecipientDetails } from './recipient-details.js';
import { AttemptReceipts } from './receipts/attempt-receipts.js';
import { CampaignReceipts } from './receipts/campaign-receipts.js';
import { ReceiptListeners } from './receipts/receipt-listeners.js';

const SERVICES = [
  AttemptJournals,
  AttemptReader,
  AttemptReceipts,
  CampaignAcceptance,
  CampaignReader,
  CampaignReceipts,
  CampaignStates,
  CampaignWriter,
  ChannelOffers,
  ChannelRegistry,
  ReceiptListeners,
  ReceiptStore,
  RecipientDetails,
  RetryPlans,
  RetryStore,
  RouteSenders,
  Settlement,
  StatusEvents,
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
    RelayBellModule,
    RoutesModule,
  ],
  providers: [...SERVICES, { provide: ReceiptSink, useExisting: CampaignReceipts }],
  exports: [...SERVICES, ReceiptSink, RelayBellModule],
})
export class CampaignEngineModule {}

const HANDLERS = [
  ChangeCampaignHandler,
  ExportContactsHandler,
  FindRecipientsHandler,
  GetCampaignHandler,
  GetTimelineHandler,
  ListCampaignsHandler,
  ListContactsHandler,
  QuoteCampaignHandler,
  RetryFailedHandler,
  ReviewCampaignHandler,
  ReviewCampaignsHandler,
  WatchCampaignHandler,
];

const READERS = [
  CampaignList,
  CampaignRetry,
  CampaignViews,
  ClosedAccounts,
  ContactReader,
  ContactViews,
  FailedRecipients,
  ProgressFeed,
  RecipientSearch,
];

/** Campaigns in the API: the engine, and what owners and staff do with a campaign. */
@Module({
  imports: [CqrsModule, AccountsModule, CampaignEngineModule, CreditsModule, IdempotencyModule, RoutesModule],
  providers: [...HANDLERS, ...READERS],
  controllers: [CampaignsController, CampaignController, ContactsController, RecipientsController],
  exports: [CampaignEngineModule],
})
export class CampaignsModule {}
