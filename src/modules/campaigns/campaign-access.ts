import { type Actor, roleOf } from '../accounts/index.js';
import { campaignErrors } from './campaigns.errors.js';
import type { ReadSession } from '../../platform/database/index.js';
import { campaignIn, type CampaignReader, type CampaignRecord } from '../engine/index.js';

/** True for staff with a token, who see all campaigns; API keys and resellers do not (reference/authentication#api-keys). */
export const actsAsStaff = ({ account: { userType }, via }: Actor): boolean =>
  via !== 'key' && roleOf(userType) !== 'user' && userType !== 'reseller';

export const maySee = (actor: Actor, campaign: CampaignRecord): boolean =>
  campaign.accountId === actor.account.id || actsAsStaff(actor);

/** Returns the campaign. @throws AppError not_found `Campaign not found` for a foreign campaign too */
export async function campaignOf(reader: CampaignReader, actor: Actor, requestId: string): Promise<CampaignRecord> {
  return seenBy(actor, await reader.byRequestId(requestId));
}

/** Like `campaignOf`, for read-only views: `session` may read a replica. */
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

/** The audit log records staff changes to other accounts' campaigns, but not the owner's own changes. */
export const isForeign = (actor: Actor, campaign: CampaignRecord): boolean => campaign.accountId !== actor.account.id;
