import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { CampaignData } from '../http/campaign.dto.js';
import { type CampaignFilter, CampaignList } from '../persistence/campaign-list.js';
import { CampaignViews } from './campaign-views.js';

/** A page of one account's campaigns, newest first. */
export class ListCampaignsQuery extends Query<{ campaigns: CampaignData[]; total: number }> {
  constructor(
    readonly accountId: number,
    readonly filter: Omit<CampaignFilter, 'accountId'>,
    readonly page: number,
    readonly limit: number,
  ) {
    super();
  }
}

@QueryHandler(ListCampaignsQuery)
export class ListCampaignsHandler implements IQueryHandler<ListCampaignsQuery> {
  constructor(
    private readonly list: CampaignList,
    private readonly views: CampaignViews,
  ) {}

  async execute(query: ListCampaignsQuery): Promise<{ campaigns: CampaignData[]; total: number }> {
    const filter = { ...query.filter, accountId: query.accountId };
    const [campaigns, total] = await Promise.all([
      this.list.page(filter, (query.page - 1) * query.limit, query.limit),
      this.list.total(filter),
    ]);
    return { campaigns: await Promise.all(campaigns.map((counted) => this.views.ofOwner(counted))), total };
  }
}
