import { Command } from '@nestjs/cqrs';
import type { Actor } from '../../accounts/index.js';
import type { CampaignState } from '../domain/campaign.js';
import type { CampaignChange } from '../domain/campaign-change.js';

/**
 * Pauses, resumes, cancels, approves or rejects a campaign of the actor (staff: anybody's, with an entry in the audit log
 * in the same transaction). Only the desk's routes approve and reject. Answers the state it is in afterwards.
 * @throws AppError not_found `Campaign not found`; conflict `Campaign is already <state>`, `Changed since you looked`
 */
export class ChangeCampaign extends Command<CampaignState> {
  /** @param revision of a decision: what was looked at; null = not named */
  constructor(
    readonly actor: Actor,
    readonly requestId: string,
    readonly change: CampaignChange,
    readonly revision: number | null = null,
  ) {
    super();
  }
}
