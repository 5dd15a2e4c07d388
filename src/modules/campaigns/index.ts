export { actsAsStaff } from './campaign-access.js';
export { campaignErrors } from './campaigns.errors.js';
export { CampaignsModule } from './campaigns.module.js';
export { LISTED_STATES } from './campaign-filter.js';
export { CampaignSearch } from './campaigns.store.js';
export { RecipientSearch } from './contacts/recipient-search.store.js';
export { CampaignViews } from './campaign-views.js';
export { type TestResult, TestSends } from './test-sends.js';
