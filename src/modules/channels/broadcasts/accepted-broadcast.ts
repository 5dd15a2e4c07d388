import type { AcceptedCampaign } from '../../engine/index.js';

/** The answer to an accepted broadcast (reference/engine#request-ids). */
export interface AcceptedBroadcast {
  requestId: string;
  /** for all recipients together */
  credits: number;
}

export const acceptedBroadcast = ({ requestId, chargedCredits }: AcceptedCampaign): AcceptedBroadcast => ({
  requestId,
  credits: chargedCredits,
});
