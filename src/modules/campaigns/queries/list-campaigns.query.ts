import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { Listed, Page } from '../../../kernel/lists.js';
import type { CampaignData } from '../http/campaign.dto.js';
import { CampaignList, type WantedCampaigns } from '../persistence/campaign-list.js';
import { CampaignViews } from './campaign-views.js';

/** A page of one account's campaigns, newest first. */
export class ListCampaignsQuery extends Query<Listed<CampaignData>> {
  constructor(
    readonly accountId: number,
    readonly filter: Omit<WantedCampaigns, 'accountId'>,
    readonly page: Page,
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

  async execute(query: ListCampaignsQuery): Promise<Listed<CampaignData>> {
    const filter = { ...query.filter, accountId: query.accountId };
    const listed = await this.list.part(filter, query.page);
    return { ...listed, items: await Promise.all(listed.items.map((counted) => this.views.ofOwner(counted))) };
  }
}
