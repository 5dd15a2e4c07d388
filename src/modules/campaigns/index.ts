export { actsAsStaff } from './campaign-access.js';
export { campaignErrors, LONGEST_REASON } from './campaigns.errors.js';
export { CampaignsModule } from './campaigns.module.js';
export { ChangeCampaignCommand } from './campaigns.commands.js';
export {
  FILTER_ERRORS,
  LISTED_STATES,
  readCampaignFilter,
  ROUTE_DESCRIPTION,
  SEARCH_DESCRIPTION,
  STATE_DESCRIPTION,
} from './campaign-filter.js';
export { CampaignChangedResponse, CampaignData, CAMPAIGNS } from './campaigns.dto.js';
export { StaffCampaignAnswer } from './staff-campaigns.dto.js';
export { CampaignSearch } from './campaigns.store.js';
export { RecipientSearch } from './contacts/recipient-search.store.js';
export { CampaignViews } from './campaign-views.js';
export { ReviewCampaignQuery, ReviewCampaignsQuery } from './campaigns.queries.js';
export { type TestResult, TestSends } from './test-sends.js';
