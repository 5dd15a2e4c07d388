export { acceptanceErrors } from './accept/acceptance.errors.js';
export { CampaignAcceptance } from './accept/campaign-acceptance.js';
export type { AcceptedCampaign } from './accept/draft.js';
export type { RecipientSource, SourcedRecipient } from './accept/pricing.js';
export { type Submission, Submissions } from './accept/submissions.js';
export {
  CAMPAIGN_STATES,
  type CampaignRecord,
  type CampaignState,
  isEndState,
  type RecipientRecord,
} from './campaign.js';
export {
  type Channel,
  type Content,
  isPersonalised,
  type Price,
  TIMELINE_EVENTS,
  type TimelineEvent,
} from './channel.js';
export { Channels, ChannelsModule, TimelineSources } from './channels.js';
export { StopList } from './settle/settlement.js';
export { RouteMoves } from './dispatch/route-moves.js';
export { EngineDispatchModule } from './engine.dispatch.module.js';
export { EngineModule } from './engine.module.js';
export { EngineWorkerModule } from './engine.worker.module.js';
export { laneOf } from './lanes.js';
export { ReceiptListeners } from './receipts/receipt-listeners.js';
export { AttemptReader } from './receipts/receipt-lookup.js';
export { isFinal, mayMove, RecipientStatus, type RecipientTerms } from './recipient.js';
export { RestoredCampaigns } from './restore/restored-campaigns.js';
export { RestoreFence } from './restore/restore-fence.js';
export { figuresOf } from './settle/counters.js';
export { CampaignTraces } from './state/campaign-briefs.js';
export { CampaignStates } from './state/campaign-states.js';
export { LaneWake } from './state/lane-store.js';
export { OWN_KIND, variablesOf } from './state/own-variables.js';
export { RouteQueues } from './state/route-queues.js';
export { StatusLabels } from './state/status-labels.js';
export { engineTables, SENDERS_KEPT_DAYS } from './tables.js';
