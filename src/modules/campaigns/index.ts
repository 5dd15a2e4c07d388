export { CampaignAcceptance } from './acceptance/campaign-acceptance.js';
export { CampaignEngineModule, CampaignsModule } from './campaigns.module.js';
export { CampaignsWorkerModule } from './campaigns.worker.module.js';
export { ChannelRegistry } from './channel-registry.js';
export type {
  AcceptedCampaign,
  CampaignDraft,
  CampaignRecord,
  CampaignState,
  ChannelName,
  RecipientRecord,
} from './domain/campaign.js';
export type { Channel, Composed } from './domain/channel.js';
export { CHAT_EVENT, CHAT_WORDS } from './domain/chat-words.js';
export { isFinal, mayMove, RecipientStatus } from './domain/recipient-status.js';
export { CampaignReader, type RecipientSelection } from './persistence/campaign-reader.js';
export type { RoutedReceipt } from './persistence/receipt-store.js';
export { type ReceiptListener, ReceiptListeners } from './receipts/receipt-listeners.js';
