export { actsAsStaff, campaignIn, CampaignReader, type RecordSelection } from './campaign-reader.js';
export { type LastSend, NumberSenders } from './contacts/number-senders.js';
export { campaignErrors } from './campaigns.errors.js';
export { CampaignsModule, NumberSendersModule } from './campaigns.module.js';
export { LISTED_STATES, RANGE_ERRORS, readRangeEnd } from './campaign-filter.js';
export { CampaignSearch } from './campaigns.store.js';
export { RecipientSearch } from './contacts/recipient-search.store.js';
export { CampaignViews } from './campaign-views.js';
export { type TestResult, TestSends } from './test-sends.js';
