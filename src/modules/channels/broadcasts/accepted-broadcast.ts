import type { AcceptedCampaign } from '../../engine/index.js';

/** The answer to an accepted broadcast (reference/engine#request-ids). */
export interface AcceptedBroadcast {
  requestId: string;
  /** for all recipients together */
  credits: number;
  /** the route of the campaign; absent from answers that were kept before it was told */
  routeId?: number;
}

export const acceptedBroadcast = ({ requestId, chargedCredits, routeId }: AcceptedCampaign): AcceptedBroadcast => ({
  requestId,
  credits: chargedCredits,
  routeId,
});
