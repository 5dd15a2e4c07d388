import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { AccountsModule } from '../accounts/index.js';
import { CreditsModule } from '../credits/index.js';
import { IdempotencyModule } from '../idempotency/index.js';
import { RoutesModule } from '../providers/index.js';
import { CampaignRetry, RetryRights } from './retry/campaign-retry.js';
import { CampaignLog, ClosedAccounts, MadeCampaigns } from './account-listeners.js';
import { ChangeCampaignHandler, RetryFailedHandler } from './campaigns.commands.js';
import { CampaignController, CampaignsController } from './campaigns.controller.js';
import { ContactsController, NumbersController, RecipientsController } from './contacts/contacts.controller.js';
import { CampaignList, CampaignSearch } from './campaigns.store.js';
import { CampaignOutlooks } from './campaign-outlook.js';
import { FailureReasonCounts } from './failure-reasons.store.js';
import { RecipientReader } from './contacts/recipients.store.js';
import { FailedRecipients } from './retry/failed-recipients.store.js';
import { RecipientSearch } from './contacts/recipient-search.store.js';
import { ProgressFeed } from './progress-feed.js';
import { CampaignViews } from './campaign-views.js';
import {
  RecipientViews,
  ExportRecipientsHandler,
  FindRecipientsHandler,
  ListRecipientsHandler,
} from './contacts/contacts.queries.js';
import {
  GetCampaignHandler,
  QuoteRetryHandler,
  ListCampaignsHandler,
  ReviewCampaignHandler,
  ReviewCampaignsHandler,
  WatchCampaignHandler,
} from './campaigns.queries.js';
import { GetTimelineHandler } from './contacts/timeline.queries.js';
import { QuoteCampaignHandler } from './quote/quote.queries.js';
import { CampaignReader } from './campaign-reader.js';
import { NumberSenders } from './contacts/number-senders.js';
import { EngineModule } from '../engine/index.js';
import { RouteChangeReader } from './route-changes.store.js';
import { TestSends } from './test-sends.js';
import { CampaignsAdminController } from './staff-campaigns.controller.js';

const HANDLERS = [
  ChangeCampaignHandler,
  ExportRecipientsHandler,
  FindRecipientsHandler,
  GetCampaignHandler,
  GetTimelineHandler,
  ListCampaignsHandler,
  ListRecipientsHandler,
  QuoteCampaignHandler,
  QuoteRetryHandler,
  RetryFailedHandler,
  ReviewCampaignHandler,
  ReviewCampaignsHandler,
  WatchCampaignHandler,
];

const READERS = [
  RouteChangeReader,
  TestSends,
  CampaignList,
  CampaignLog,
  CampaignOutlooks,
  CampaignReader,
  CampaignRetry,
  CampaignSearch,
  CampaignViews,
  ClosedAccounts,
  MadeCampaigns,
  FailureReasonCounts,
  RecipientReader,
  RecipientViews,
  FailedRecipients,
  RetryRights,
  ProgressFeed,
  RecipientSearch,
];

/** Who sent to a number last: for the search, and for stop words in every process. */
@Module({ imports: [RoutesModule], providers: [NumberSenders], exports: [NumberSenders] })
export class NumberSendersModule {}

@Module({
  imports: [
    CqrsModule,
    AccountsModule,
    EngineModule,
    CreditsModule,
    IdempotencyModule,
    NumberSendersModule,
    RoutesModule,
  ],
  providers: [...HANDLERS, ...READERS],
  controllers: [
    CampaignsController,
    CampaignController,
    ContactsController,
    NumbersController,
    RecipientsController,
    CampaignsAdminController,
  ],
  exports: [CampaignReader, CampaignSearch, CampaignViews, EngineModule, RecipientSearch, TestSends],
})
export class CampaignsModule {}
