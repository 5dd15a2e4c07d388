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
export type { Channel } from './domain/channel.js';
export { isFinal, mayMove, RecipientStatus } from './domain/recipient-status.js';
export { CampaignReader, type RecipientSelection } from './persistence/campaign-reader.js';
