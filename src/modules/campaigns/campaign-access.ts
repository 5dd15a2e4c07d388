import { AppError } from '../../kernel/app-error.js';
import { type Actor, roleOf } from '../accounts/index.js';
import type { CampaignRecord } from './domain/campaign.js';
import type { CampaignReader } from './persistence/campaign-reader.js';

/**
 * A campaign that the actor may see: his own, or anybody's for staff. A reseller has no other account's campaigns (decisions §4).
 * @throws AppError not_found `Campaign not found`, the same for a foreign one and for none
 */
export async function campaignOf(reader: CampaignReader, actor: Actor, requestId: string): Promise<CampaignRecord> {
  const campaign = await reader.byRequestId(requestId);
  const staff = roleOf(actor.account.userType) !== 'user' && actor.account.userType !== 'reseller';
  if (!campaign || (campaign.accountId !== actor.account.id && !staff)) {
    throw new AppError('not_found', 'campaign_not_found', 'Campaign not found');
  }
  return campaign;
}
