import type { CampaignState } from './campaign.js';

/** What owners and the desk do with a campaign (reference/engine#campaign-states). */
export type CampaignChange = 'pause' | 'resume' | 'cancel' | 'approve' | 'reject';

/** The states from which each change is possible; from any other it is `Campaign is already <state>`. */
export const CHANGES_FROM: Readonly<Record<CampaignChange, readonly CampaignState[]>> = {
  pause: ['accepted', 'running'],
  resume: ['paused'],
  cancel: ['pending_approval', 'accepted', 'running', 'paused'],
  approve: ['pending_approval'],
  reject: ['pending_approval'],
};
