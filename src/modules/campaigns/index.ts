export { actsAsStaff } from './campaign-access.js';
export { campaignErrors, LONGEST_REASON } from './campaigns.errors.js';
export { CampaignsModule } from './campaigns.module.js';
export { ChangeCampaignCommand } from './commands/change-campaign.command.js';
export {
  FILTER_ERRORS,
  LISTED_STATES,
  readCampaignFilter,
  ROUTE_DESCRIPTION,
  SEARCH_DESCRIPTION,
  STATE_DESCRIPTION,
} from './http/campaign-filter.js';
export { CampaignChangedResponse, CampaignData, CAMPAIGNS } from './http/campaign.dto.js';
export { StaffCampaignAnswer } from './http/staff-campaign.dto.js';
export { CampaignSearch } from './persistence/campaign-search.js';
export { RecipientSearch } from './persistence/recipient-search.js';
export { CampaignViews } from './queries/campaign-views.js';
export { ReviewCampaignQuery } from './queries/review-campaign.query.js';
export { ReviewCampaignsQuery } from './queries/review-campaigns.query.js';
