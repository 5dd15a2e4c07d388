import { AppError } from '../../kernel/app-error.js';
import type { CampaignState } from '../engine/index.js';

/** Errors of the campaigns API (reference/campaigns#changes), literally. */
export const campaignErrors = {
  notFound: () => new AppError('not_found', 'campaign_not_found', 'Campaign not found'),
  contactNotFound: () => new AppError('not_found', 'contact_not_found', 'Contact not found'),
  already: (state: CampaignState) => new AppError('conflict', 'wrong_state', `Campaign is already ${state}`),
  noneFailed: () => new AppError('conflict', 'none_failed', 'Campaign has no failed recipients'),
  invalid: (text: string) => new AppError('invalid', 'invalid_field', text),
};
