export { acceptanceErrors, InsufficientCredits } from './accept/acceptance.errors.js';
export { CampaignAcceptance } from './accept/campaign-acceptance.js';
export { FOREIGN_REQUEST_ID } from './accept/draft-answers.js';
export type { AcceptedCampaign } from './accept/draft.js';
export type {
  RecipientPricer,
  NumberRefusal,
  RecipientFault,
  RecipientSource,
  SourcedRecipient,
} from './accept/pricing.js';
export { type Departure, onlyRoute, type Sender, type Submission, Submissions } from './accept/submissions.js';
export {
  isPersonalised,
  isQuotable,
  TIMELINE_EVENTS,
  type AttemptLog,
  type Channel,
  type Content,
  type DetailValue,
  type MessageQuote,
  type Price,
  type RecipientDetails,
  type TimelineEvent,
  type ContentOutline,
  NO_OUTLINE,
  type ReviewContent,
  type ReviewMenuRow,
} from './channel.js';
export { Channels, ChannelsModule, type TimelineSource, TimelineSources } from './channels.js';
export { LaneWake, type WokenLanes } from './state/lane-store.js';
export { RouteMoves } from './dispatch/route-moves.js';
export { type RouteQueue, RouteQueues } from './state/route-queues.js';
export { type NumberSender, RouteSenders } from './state/route-senders.js';
export { OldestDue } from './dispatch/due-routes.js';
export { type Addressed, StopList } from './dispatch/batch-runner.js';
export { EngineDispatchModule } from './engine.dispatch.module.js';
export { EngineModule } from './engine.module.js';
export { EngineWorkerModule } from './engine.worker.module.js';
export { type ReceiptListener, ReceiptListeners } from './receipts/receipt-listeners.js';
export { type RoutedReceipt, AttemptReader } from './receipts/receipt-lookup.js';
export { UnmatchedStore } from './receipts/unmatched-store.js';
export type { EndedAttempt } from './attempts.js';
export { figuresOf } from './settle/counters.js';
export { RestoredCampaigns, type UndecidedCampaign } from './restore/restored-campaigns.js';
export { type FencedCopy, RestoreFence } from './restore/restore-fence.js';
export {
  campaignIn,
  CampaignReader,
  type CampaignRow,
  RECIPIENT_COLUMNS,
  type RecipientRow,
  type RecordSelection,
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
export { CampaignTraces } from './state/campaign-briefs.js';
export {
  CAMPAIGN_STATES,
  type CampaignChange,
  type CampaignState,
  isEndState,
  type CampaignRecord,
  type RecipientRecord,
} from './campaign.js';
export { type DeliveryRecord, deliveryRecord, outcomeOf, statusCounts, statusesOf } from './state/recipient-outcome.js';
export { isFinal, mayMove, RecipientStatus, type Addressee, type RecipientTerms, readReference } from './recipient.js';
export { laneOf } from './lanes.js';
export { OWN_KIND, variablesOf } from './state/own-variables.js';
export { engineTables } from './tables.js';
