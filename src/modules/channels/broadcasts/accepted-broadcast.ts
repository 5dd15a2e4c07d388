import type { AcceptedCampaign } from '../../engine/index.js';

/** The answer to an accepted broadcast (reference/engine#request-ids). */
export interface AcceptedBroadcast {
  requestId: string;
  /** credits per recipient times recipients */
  credits: number;
}

export const acceptedBroadcast = ({ requestId, unitCredits, totalRows }: AcceptedCampaign): AcceptedBroadcast => ({
  requestId,
  credits: unitCredits * totalRows,
});
