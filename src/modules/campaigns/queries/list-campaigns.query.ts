import { Query } from '@nestjs/cqrs';
import type { CampaignFilter } from '../persistence/campaign-list.js';
import type { CampaignView } from './campaign.view.js';

/** A page of one account's campaigns, newest first. */
export class ListCampaigns extends Query<{ campaigns: CampaignView[]; total: number }> {
  constructor(
    readonly accountId: number,
    readonly filter: Omit<CampaignFilter, 'accountId'>,
    readonly page: number,
    readonly limit: number,
  ) {
    super();
  }
}
