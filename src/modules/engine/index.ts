export { acceptanceErrors, InsufficientCredits, Outspent } from './accept/acceptance.errors.js';
export { CampaignAcceptance } from './accept/campaign-acceptance.js';
export { type DraftIdentity, FOREIGN_REQUEST_ID } from './accept/earlier-campaigns.js';
export type { AcceptedCampaign, CampaignDraft } from './accept/campaign-draft.js';
export { CampaignWriter } from './accept/campaign-writer.js';
export type { RecipientJudge } from './accept/recipient-judge.js';
export type { JudgedRecipients } from './accept/judged-recipients.js';
export type { SegmentsShare, SourceQuote } from './accept/source-quote.js';
export {
  type NumberRefusal,
  type RecipientFault,
  type RecipientSource,
  type SourcedRecipient,
} from './accept/recipient-source.js';
export {
  type Departure,
  onlyRoute,
  type RoutedSubmission,
  type Sender,
  type Submission,
  Submissions,
} from './accept/submissions.js';
export { isPersonalised, isQuotable, TIMELINE_EVENTS } from './channel.js';
export type {
  AttemptLog,
  Channel,
  Content,
  DetailValue,
  MessageQuote,
  Price,
  RecipientDetails,
  RenewedTerms,
  Services,
  TimelineEvent,
} from './channel.js';
export { CHANNEL_LIST, Channels, ChannelsModule } from './channels.js';
export { LaneWake, type WokenLanes } from './dispatch/lane-wake.js';
export { type CampaignRouteChange, type RecipientRouteChange, RouteChangeReader } from './state/route-change-reader.js';
export { type MovedLanes, type RouteMove, RouteMoves } from './dispatch/route-moves.js';
export { type RouteQueue, RouteQueues } from './state/route-queues.js';
export { type NumberSender, RouteSenders } from './state/route-senders.js';
export { OldestDue } from './dispatch/oldest-due.js';
export { type Addressed, StopList } from './dispatch/suppressions.js';
export { EngineDispatchModule } from './engine.dispatch.module.js';
export { EngineModule } from './engine.module.js';
export { EngineWorkerModule } from './engine.worker.module.js';
export { type ReceiptListener, ReceiptListeners } from './receipts/receipt-listeners.js';
export type { RoutedReceipt } from './receipts/receipt-lookup.js';
export {
  type ContentOutline,
  NO_OUTLINE,
  NO_REVIEW_CONTENT,
  type ReviewContent,
  type ReviewMenuRow,
} from './review-content.js';
export { UnmatchedStore } from './receipts/unmatched-store.js';
export type { BegunAttempt, EndedAttempt } from './settle/attempts.js';
export { figuresOf } from './settle/counted-moves.js';
export { RestoredCampaigns, type UndecidedCampaign } from './restored/restored-campaigns.js';
export { type FencedCopy, RestoreFence } from './restored/restore-fence.js';
export { AttemptReader } from './state/attempt-reader.js';
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
export { CampaignTraces } from './state/campaign-traces.js';
export { CAMPAIGN_STATES, type CampaignChange, type CampaignState, isEndState } from './state/campaign-transitions.js';
export { CAMPAIGN_REVISION, type CampaignRecord, type RecipientRecord } from './state/campaign.js';
export {
  type DeliveryRecord,
  deliveryRecord,
  outcomeOf,
  type RecipientOutcome,
  statusCounts,
  statusesOf,
} from './state/recipient-outcome.js';
export { isFinal, mayMove, RecipientStatus } from './state/recipient-status.js';
export { type Addressee, type RecipientTerms, TERMS_COLUMNS, type TermsRow, toTerms } from './state/recipient-terms.js';
export type { RouteChain } from './state/route-chain.js';
export { OWN_KIND, variablesOf } from './state/own-variables.js';
export { readReference } from './state/recipient-key.js';
export { type TestResult, type TestSend, TestSends } from './test-sends.js';
export { type TimelineSource, TimelineSources } from './timeline-sources.js';
export { engineTables } from './state/table-rules.js';
