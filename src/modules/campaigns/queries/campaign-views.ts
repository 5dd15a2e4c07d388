import { Injectable } from '@nestjs/common';
import { AccountDirectory } from '../../accounts/index.js';
import { Channels, RouteChangeReader } from '../../engine/index.js';
import { type CampaignData, campaignData, type CampaignDetailData, routeChanges } from '../http/campaign.dto.js';
import { type StaffCampaignAnswer, staffCampaign } from '../http/staff-campaign.dto.js';
import type { CountedCampaign } from '../persistence/campaign-list.js';

const NO_OWNER = { username: '', timeZone: 'UTC' };

/** Campaigns in the labels of their channel and the time zone of their owner, also for staff. */
@Injectable()
export class CampaignViews {
  constructor(
    private readonly accounts: AccountDirectory,
    private readonly channels: Channels,
    private readonly changes: RouteChangeReader,
  ) {}

  async ofOwner(counted: CountedCampaign): Promise<CampaignData> {
    const { timeZone } = await this.owner(counted);
    return campaignData(counted, this.channels.get(counted.campaign.channel), timeZone);
  }

  async inDetail(counted: CountedCampaign): Promise<CampaignDetailData> {
    const { timeZone } = await this.owner(counted);
    const changes = await this.changes.ofCampaign(counted.campaign.id);
    const data = campaignData(counted, this.channels.get(counted.campaign.channel), timeZone);
    return { ...data, category: counted.campaign.category, route_changes: routeChanges(changes, timeZone) };
  }

  async forStaff(counted: CountedCampaign): Promise<StaffCampaignAnswer> {
    return staffCampaign(counted, this.channels.get(counted.campaign.channel), await this.owner(counted));
  }

  private async owner({ campaign }: CountedCampaign): Promise<{ username: string; timeZone: string }> {
    return (await this.accounts.byId(campaign.accountId)) ?? NO_OWNER;
  }
}
