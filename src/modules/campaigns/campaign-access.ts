import { type Actor, roleOf } from '../accounts/index.js';
import { campaignErrors } from './campaigns.errors.js';
import type { ReadSession } from '../../platform/database/index.js';
import { campaignIn, type CampaignReader, type CampaignRecord } from '../engine/index.js';

/**
 * True for actors that every account's campaigns are open to: staff by their token; by an API key, only their own account
 * (reference/authentication#api-keys). A reseller has no other account's campaigns (reference/accounts#resellers).
 */
export const actsAsStaff = ({ account: { userType }, via }: Actor): boolean =>
  via !== 'key' && roleOf(userType) !== 'user' && userType !== 'reseller';

/** The actor's own campaigns, for staff those of all accounts. */
export const maySee = (actor: Actor, campaign: CampaignRecord): boolean =>
  campaign.accountId === actor.account.id || actsAsStaff(actor);

/**
 * A campaign that the actor may see.
 * @throws AppError not_found `Campaign not found`, the same for a foreign one and for none
 */
export async function campaignOf(reader: CampaignReader, actor: Actor, requestId: string): Promise<CampaignRecord> {
  return seenBy(actor, await reader.byRequestId(requestId));
}

/** As `campaignOf`, of what is only shown. @param session of a `ReadDatabase`: a replica may be asked */
export async function campaignShown(
  session: ReadSession,
  actor: Actor,
  requestId: string,
): Promise<{ campaign: CampaignRecord; reader: CampaignReader }> {
  const { campaign, reader } = await campaignIn(session, requestId);
  return { campaign: seenBy(actor, campaign), reader };
}

function seenBy(actor: Actor, campaign: CampaignRecord | null): CampaignRecord {
  if (!campaign || !maySee(actor, campaign)) throw campaignErrors.notFound();
  return campaign;
}

/** What staff do to another account's campaign stands in the audit log; owners' own doings do not. */
export const isForeign = (actor: Actor, campaign: CampaignRecord): boolean => campaign.accountId !== actor.account.id;
