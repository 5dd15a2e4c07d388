import { type Account, type Actor, roleOf } from '../accounts/index.js';
import { campaignErrors } from './campaigns.errors.js';
import type { CampaignRecord } from './domain/campaign.js';
import type { CampaignReader } from './persistence/campaign-reader.js';

/** Whom every account's campaigns are open to: a reseller has no other account's campaigns (decisions §4). */
export const isDesk = ({ userType }: Account): boolean => roleOf(userType) !== 'user' && userType !== 'reseller';

/** His own, or anybody's for staff. */
export const maySee = (account: Account, campaign: CampaignRecord): boolean =>
  campaign.accountId === account.id || isDesk(account);

/**
 * A campaign that the actor may see.
 * @throws AppError not_found `Campaign not found`, the same for a foreign one and for none
 */
export async function campaignOf(reader: CampaignReader, actor: Actor, requestId: string): Promise<CampaignRecord> {
  const campaign = await reader.byRequestId(requestId);
  if (!campaign || !maySee(actor.account, campaign)) throw campaignErrors.notFound();
  return campaign;
}

/** What staff do to another account's campaign stands in the audit log; owners' own doings do not. */
export const isForeign = (actor: Actor, campaign: CampaignRecord): boolean => campaign.accountId !== actor.account.id;
