import { Command } from '@nestjs/cqrs';
import type { Actor } from '../../accounts/index.js';
import type { CampaignState } from '../domain/campaign.js';

export type CampaignChange = 'pause' | 'resume' | 'cancel' | 'approve' | 'reject';

/**
 * Pauses, resumes, cancels, approves or rejects a campaign of the actor (staff: anybody's).
 * Answers the state it is in afterwards.
 * @throws AppError not_found `Campaign not found`; conflict `Campaign is already <state>`
 */
export class ChangeCampaign extends Command<CampaignState> {
  constructor(
    readonly actor: Actor,
    readonly requestId: string,
    readonly change: CampaignChange,
  ) {
    super();
  }
}
