import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { dateTime } from '../../../kernel/clock.js';
import { campaignOf } from '../campaign-access.js';
import { ChannelRegistry } from '../channel-registry.js';
import type { CampaignState } from '../domain/campaign.js';
import type { Channel } from '../domain/channel.js';
import { CampaignReader } from '../persistence/campaign-reader.js';
import { type CampaignView, GetCampaign } from './get-campaign.query.js';

const ENDED: Partial<Record<CampaignState, string>> = {
  completed: 'Completed',
  cancelled: 'Cancelled',
  rejected: 'Rejected',
  failed: 'Failed',
};

const statusText = (state: CampaignState, channel: Channel): string =>
  ENDED[state] ?? (state === 'pending_approval' ? channel.campaignStatus.accepted : channel.campaignStatus.sending);

@QueryHandler(GetCampaign)
export class GetCampaignHandler implements IQueryHandler<GetCampaign> {
  constructor(
    private readonly reader: CampaignReader,
    private readonly channels: ChannelRegistry,
  ) {}

  async execute({ actor, requestId }: GetCampaign): Promise<CampaignView> {
    const campaign = await campaignOf(this.reader, actor, requestId);
    const channel = this.channels.get(campaign.channel);
    const counts: Record<string, number> = {};
    for (const [status, recipients] of await this.reader.counts(campaign.id)) {
      const word = channel.words[status];
      counts[word] = (counts[word] ?? 0) + recipients;
    }
    const shown = (at: Date | null): string | null => (at ? dateTime(at, actor.account.timeZone) : null);
    return {
      request_id: campaign.requestId,
      channel: campaign.channel,
      broadcast_name: campaign.broadcastName,
      status: statusText(campaign.state, channel),
      state: campaign.state,
      total_rows: campaign.totalRows,
      status_counts: counts,
      credits: campaign.unitCredits * campaign.totalRows,
      retry_of: campaign.retryOf,
      scheduled_at: shown(campaign.scheduledAt),
      created_at: dateTime(campaign.createdAt, actor.account.timeZone),
      sent_at: shown(campaign.sentAt),
      completed_at: shown(campaign.completedAt),
    };
  }
}
