import { Injectable } from '@nestjs/common';
import { AccountDirectory } from '../../accounts/index.js';
import { CAMPAIGN_REVISION, Channels, type ReviewContent, NO_REVIEW_CONTENT } from '../../engine/index.js';
import { type CampaignData, campaignData } from '../http/campaign.dto.js';
import type { CountedCampaign } from '../persistence/campaign-list.js';

/** A campaign as staff see it: whose it is, and what there is to review in it. */
export interface StaffCampaignView extends CampaignData, ReviewContent {
  username: string;
  revision: number;
  /** how many there are */
  recipients: number;
}

const NO_OWNER = { username: '', timeZone: 'UTC' };

/** Campaigns in the labels of their channel and the time zone of their owner, also for staff. */
@Injectable()
export class CampaignViews {
  constructor(
    private readonly accounts: AccountDirectory,
    private readonly channels: Channels,
  ) {}

  async ofOwner(counted: CountedCampaign): Promise<CampaignData> {
    const { timeZone } = await this.owner(counted);
    return campaignData(counted, this.channels.get(counted.campaign.channel), timeZone);
  }

  async forStaff(counted: CountedCampaign): Promise<StaffCampaignView> {
    const { username, timeZone } = await this.owner(counted);
    const channel = this.channels.get(counted.campaign.channel);
    return {
      ...campaignData(counted, channel, timeZone),
      username,
      revision: CAMPAIGN_REVISION,
      recipients: counted.campaign.totalRows,
      ...(channel.reviewContent?.(counted.campaign.content) ?? NO_REVIEW_CONTENT),
    };
  }

  private async owner({ campaign }: CountedCampaign): Promise<{ username: string; timeZone: string }> {
    return (await this.accounts.byId(campaign.accountId)) ?? NO_OWNER;
  }
}
