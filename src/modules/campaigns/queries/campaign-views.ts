import { Injectable } from '@nestjs/common';
import { AccountDirectory } from '../../accounts/index.js';
import { ChannelRegistry } from '../channel-registry.js';
import { CAMPAIGN_REVISION } from '../domain/campaign.js';
import type { CountedCampaign } from '../persistence/campaign-list.js';
import { campaignView, type CampaignView } from './campaign.view.js';

/** A campaign as the desk sees it: whose it is, and on voice what the recipients hear. */
export interface DeskCampaignView extends CampaignView {
  username: string;
  revision: number;
  audio_url: string | null;
}

const NO_OWNER = { username: '', timeZone: 'UTC' };

/** Campaigns in the words of their channel and the time zone of their owner, whoever looks. */
@Injectable()
export class CampaignViews {
  constructor(
    private readonly accounts: AccountDirectory,
    private readonly channels: ChannelRegistry,
  ) {}

  async ofOwner(counted: CountedCampaign): Promise<CampaignView> {
    const { timeZone } = await this.owner(counted);
    return campaignView(counted, this.channels.get(counted.campaign.channel), timeZone);
  }

  async ofDesk(counted: CountedCampaign): Promise<DeskCampaignView> {
    const { username, timeZone } = await this.owner(counted);
    const channel = this.channels.get(counted.campaign.channel);
    const audioUrl = channel.audioUrl?.(counted.campaign.content) ?? null;
    return { ...campaignView(counted, channel, timeZone), username, revision: CAMPAIGN_REVISION, audio_url: audioUrl };
  }

  private async owner({ campaign }: CountedCampaign): Promise<{ username: string; timeZone: string }> {
    return (await this.accounts.byId(campaign.accountId)) ?? NO_OWNER;
  }
}
