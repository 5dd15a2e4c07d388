import { dateTime } from '../../../kernel/clock.js';
import { type CampaignState, type Channel, isEndState, RecipientStatus, statusCounts } from '../../engine/index.js';
import type { CountedCampaign } from '../persistence/campaign-list.js';

/** A campaign as its owner and staff see it; times in the owner's zone (reference/requests#dates). */
export interface CampaignView {
  request_id: string;
  channel: string;
  broadcast_name: string;
  /** the channel's own text (reference/engine#campaign-status-texts), at the end Completed, Cancelled or Rejected */
  status: string;
  state: string;
  total_rows: number;
  status_counts: Record<string, number>;
  /** credits charged at acceptance; refunds stand in the ledger */
  credits: number;
  retry_of: string | null;
  scheduled_at: string | null;
  created_at: string;
  sent_at: string | null;
  completed_at: string | null;
}

const ENDED: Partial<Record<CampaignState, string>> = {
  completed: 'Completed',
  cancelled: 'Cancelled',
  rejected: 'Rejected',
  failed: 'Failed',
};

const statusText = (state: CampaignState, channel: Channel): string =>
  ENDED[state] ?? (state === 'pending_approval' ? channel.campaignStatus.accepted : channel.campaignStatus.sending);

/** @param zone IANA zone of the owning account */
export function campaignView({ campaign, counts }: CountedCampaign, channel: Channel, zone: string): CampaignView {
  const shown = (at: Date | null): string | null => at && dateTime(at, zone);
  return {
    request_id: campaign.requestId,
    channel: campaign.channel,
    broadcast_name: campaign.broadcastName,
    status: statusText(campaign.state, channel),
    state: campaign.state,
    total_rows: campaign.totalRows,
    status_counts: statusCounts(channel, counts),
    credits: campaign.unitCredits * campaign.totalRows,
    retry_of: campaign.retryOf,
    scheduled_at: shown(campaign.scheduledAt),
    created_at: dateTime(campaign.createdAt, zone),
    sent_at: shown(campaign.sentAt),
    completed_at: shown(campaign.completedAt),
  };
}

/** Statuses of recipients that a cancelled campaign still has to settle. */
const TO_BE_SETTLED = [RecipientStatus.Pending, RecipientStatus.Retrying];

/** Whether the campaign is at its end and no recipient waits to be cancelled any more; late receipts may still come. */
export const hasEnded = ({ campaign, counts }: CountedCampaign): boolean =>
  isEndState(campaign.state) && TO_BE_SETTLED.every((status) => (counts.get(status) ?? 0) === 0);
