import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { AccountsModule } from '../accounts/index.js';
import { CreditsModule } from '../credits/index.js';
import { IdempotencyModule } from '../idempotency/index.js';
import { RoutesModule } from '../providers/index.js';
import { CampaignRetry } from './retry/campaign-retry.js';
import { ClosedAccounts } from './closed-accounts.js';
import { ChangeCampaignHandler } from './commands/change-campaign.command.js';
import { RetryFailedHandler } from './commands/retry-failed.command.js';
import { CampaignController } from './http/campaign.controller.js';
import { CampaignsController } from './http/campaigns.controller.js';
import { ContactsController } from './http/contacts.controller.js';
import { RecipientsController } from './http/recipients.controller.js';
import { CampaignLog } from './persistence/campaign-log.js';
import { CampaignList } from './persistence/campaign-list.js';
import { CampaignOutlooks } from './persistence/campaign-outlook.js';
import { FailureReasonCounts } from './persistence/failure-reasons.js';
import { RecipientReader } from './persistence/recipient-reader.js';
import { RetryRights } from './retry/retry-right.js';
import { FailedRecipients } from './retry/failed-recipients.js';
import { RecipientSearch } from './persistence/recipient-search.js';
import { ProgressFeed } from './progress/progress-feed.js';
import { CampaignSearch } from './persistence/campaign-search.js';
import { CampaignViews } from './queries/campaign-views.js';
import { RecipientViews } from './queries/recipient-views.js';
import { ExportRecipientsHandler } from './queries/export-recipients.query.js';
import { FindRecipientsHandler } from './queries/find-recipients.query.js';
import { GetCampaignHandler } from './queries/get-campaign.query.js';
import { GetTimelineHandler } from './queries/get-timeline.query.js';
import { ListCampaignsHandler } from './queries/list-campaigns.query.js';
import { ListRecipientsHandler } from './queries/list-recipients.query.js';
import { QuoteCampaignHandler } from './queries/quote-campaign.query.js';
import { ReviewCampaignHandler } from './queries/review-campaign.query.js';
import { ReviewCampaignsHandler } from './queries/review-campaigns.query.js';
import { WatchCampaignHandler } from './queries/watch-campaign.query.js';
import { EngineModule } from '../engine/index.js';

const HANDLERS = [
  ChangeCampaignHandler,
  ExportRecipientsHandler,
  FindRecipientsHandler,
  GetCampaignHandler,
  GetTimelineHandler,
  ListCampaignsHandler,
  ListRecipientsHandler,
  QuoteCampaignHandler,
  RetryFailedHandler,
  ReviewCampaignHandler,
  ReviewCampaignsHandler,
  WatchCampaignHandler,
];

const READERS = [
  CampaignList,
  CampaignLog,
  CampaignOutlooks,
  CampaignRetry,
  CampaignSearch,
  CampaignViews,
  ClosedAccounts,
  FailureReasonCounts,
  RecipientReader,
  RecipientViews,
  FailedRecipients,
  RetryRights,
  ProgressFeed,
  RecipientSearch,
];

/** Campaigns in the API: the engine, and what owners and staff do with a campaign. */
@Module({
  imports: [CqrsModule, AccountsModule, EngineModule, CreditsModule, IdempotencyModule, RoutesModule],
  providers: [...HANDLERS, ...READERS],
  controllers: [CampaignsController, CampaignController, ContactsController, RecipientsController],
  exports: [CampaignSearch, CampaignViews, EngineModule, RecipientSearch],
})
export class CampaignsModule {}
