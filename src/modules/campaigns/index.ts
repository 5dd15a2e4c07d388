export { actsAsStaff } from './campaign-access.js';
export { campaignErrors } from './campaigns.errors.js';
export { CampaignsModule } from './campaigns.module.js';
export { ChangeCampaignCommand } from './commands/change-campaign.command.js';
export { FILTER_ERRORS, readCampaignFilter, SEARCH_DESCRIPTION } from './http/campaign-filter.js';
export { CampaignChangedResponse, CampaignData, CAMPAIGNS } from './http/campaign.dto.js';
export { StaffCampaignAnswer } from './http/staff-campaign.dto.js';
export { ReviewCampaignQuery } from './queries/review-campaign.query.js';
export { ReviewCampaignsQuery } from './queries/review-campaigns.query.js';
