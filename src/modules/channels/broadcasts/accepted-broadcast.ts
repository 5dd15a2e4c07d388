import type { AcceptedCampaign } from '../../engine/index.js';

/** What the sender of a broadcast is told (reference/engine#request-ids). */
export interface AcceptedBroadcast {
  requestId: string;
  /** credits per recipient times recipients */
  credits: number;
}

export const acceptedBroadcast = ({ requestId, unitCredits, totalRows }: AcceptedCampaign): AcceptedBroadcast => ({
  requestId,
  credits: unitCredits * totalRows,
});
