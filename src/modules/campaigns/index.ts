export { CampaignAcceptance, type DraftIdentity, FOREIGN_REQUEST_ID } from './acceptance/campaign-acceptance.js';
export { InsufficientCredits } from './acceptance/insufficient-credits.js';
export { isDesk } from './campaign-access.js';
export { CampaignEngineModule, CampaignsModule } from './campaigns.module.js';
export { CampaignsWorkerModule } from './campaigns.worker.module.js';
export { type AttemptJournal, AttemptJournals } from './attempt-journals.js';
export { ChangeCampaign } from './commands/change-campaign.command.js';
export { ChannelOffers } from './channel-offers.js';
export { ChannelRegistry } from './channel-registry.js';
export type { BegunAttempt, EndedAttempt } from './domain/attempts.js';
export type {
  AcceptedCampaign,
  CampaignDraft,
  CampaignRecord,
  ChannelName,
  RecipientRecord,
} from './domain/campaign.js';
export { CAMPAIGN_STATES, CHANNEL_NAMES } from './domain/campaign.js';
export type { Channel } from './domain/channel.js';
export type { DeskContent, DeskMenuRow } from './domain/desk-content.js';
export { type ChannelOffer, chatQuote, type MessageQuote } from './domain/channel-offer.js';
export { CHAT_EVENT, CHAT_WORDS } from './domain/chat-words.js';
export { type DeliveryRecord, deliveryRecord } from './domain/delivery-record.js';
export { statusCounts, statusesOf } from './domain/recipient-outcome.js';
export { mayMove, RecipientStatus } from './domain/recipient-status.js';
export { readReference } from './domain/reference.js';
export { StopList } from './domain/stop-list.js';
export { AttemptReader } from './persistence/attempt-reader.js';
export { CampaignReader } from './persistence/campaign-reader.js';
export { LaneWake, type WokenLanes } from './persistence/lane-wake.js';
export {
  type CallDetails,
  type DetailsSource,
  RecipientDetails,
  type RecipientKey,
  type TimelineEvent,
  type TimelineSource,
} from './recipient-details.js';
export { recipientBatches, type RecordSelection } from './persistence/recipient-batches.js';
export { RouteSenders } from './persistence/route-senders.js';
export type { RoutedReceipt } from './persistence/receipt-store.js';
export { type ReceiptListener, ReceiptListeners } from './receipts/receipt-listeners.js';
export { FILTER_ROWS, readCampaignFilter } from './http/campaign-filter.js';
export { CampaignChangedResponse, CampaignData } from './http/campaign.response.js';
export type { DeskCampaignView } from './queries/campaign-views.js';
export { ReviewCampaign } from './queries/review-campaign.query.js';
export { ReviewCampaigns } from './queries/review-campaigns.query.js';
