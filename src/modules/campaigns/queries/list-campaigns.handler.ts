import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { CampaignList } from '../persistence/campaign-list.js';
import type { CampaignView } from './campaign.view.js';
import { CampaignViews } from './campaign-views.js';
import { ListCampaigns } from './list-campaigns.query.js';

@QueryHandler(ListCampaigns)
export class ListCampaignsHandler implements IQueryHandler<ListCampaigns> {
  constructor(
    private readonly list: CampaignList,
    private readonly views: CampaignViews,
  ) {}

  async execute(query: ListCampaigns): Promise<{ campaigns: CampaignView[]; total: number }> {
    const filter = { ...query.filter, accountId: query.accountId };
    const [campaigns, total] = await Promise.all([
      this.list.page(filter, (query.page - 1) * query.limit, query.limit),
      this.list.total(filter),
    ]);
    return { campaigns: await Promise.all(campaigns.map((counted) => this.views.ofOwner(counted))), total };
  }
}
