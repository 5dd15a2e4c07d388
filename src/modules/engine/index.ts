export {
  CampaignAcceptance,
  type DraftIdentity,
  FOREIGN_REQUEST_ID,
  InsufficientCredits,
  Outspent,
} from './accept/campaign-acceptance.js';
export { type AcceptedCampaign, type CampaignDraft, CampaignWriter } from './accept/campaign-writer.js';
export { type AttemptLog, AttemptLogs } from './attempt-logs.js';
export { type ChannelOffer, chatQuote, type MessageQuote, type RenewedTerms } from './channel-offer.js';
export { ChannelOffers } from './channel-offers.js';
export { ChannelRegistry } from './channel-registry.js';
export type { Channel } from './channel.js';
export { CHAT_EVENT, CHAT_STATUS_LABELS } from './chat-labels.js';
export { LaneWake, type WokenLanes } from './dispatch/lane-wake.js';
export { RouteSenders } from './dispatch/route-senders.js';
export { StopList } from './dispatch/stop-list.js';
export { EngineModule } from './engine.module.js';
export { EngineWorkerModule } from './engine.worker.module.js';
export { type ReceiptListener, ReceiptListeners } from './receipts/receipt-listeners.js';
export type { RoutedReceipt } from './receipts/receipt-lookup.js';
export {
  type CallDetails,
  type DetailsSource,
  RecipientDetails,
  type RecipientKey,
  type TimelineEvent,
  type TimelineSource,
} from './recipient-details.js';
export { type ReviewContent, type ReviewMenuRow, NO_REVIEW_CONTENT } from './review-content.js';
export type { BegunAttempt, EndedAttempt } from './settle/attempts.js';
export { AttemptReader } from './state/attempt-reader.js';
export {
  CampaignReader,
  type CampaignRow,
  RECIPIENT_COLUMNS,
  type RecipientRow,
  toRecipient,
  toRecord,
} from './state/campaign-reader.js';
export {
  costOf,
  grouped,
  idBehind,
  lowestId,
  newestFirst,
  RECIPIENTS_A_READ,
  type ScannedCampaign,
} from './state/campaign-scan.js';
export { CampaignStates } from './state/campaign-states.js';
export { CAMPAIGN_STATES, type CampaignChange, type CampaignState, isEndState } from './state/campaign-transitions.js';
export {
  CAMPAIGN_REVISION,
  type CampaignRecord,
  CHANNEL_NAMES,
  type ChannelName,
  type RecipientRecord,
} from './state/campaign.js';
export { type DeliveryRecord, deliveryRecord } from './state/delivery-record.js';
export { recipientBatches, type RecordSelection } from './state/recipient-batches.js';
export { outcomeOf, type RecipientOutcome, statusCounts, statusesOf } from './state/recipient-outcome.js';
export { isFinal, mayMove, RecipientStatus } from './state/recipient-status.js';
export { readReference } from './state/reference.js';
