import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { AccountDirectory } from '../../accounts/index.js';
import { CampaignList } from '../persistence/campaign-list.js';
import { CampaignViews, type DeskCampaignView } from './campaign-views.js';
import { ReviewCampaigns } from './review-campaigns.query.js';

@QueryHandler(ReviewCampaigns)
export class ReviewCampaignsHandler implements IQueryHandler<ReviewCampaigns> {
  constructor(
    private readonly accounts: AccountDirectory,
    private readonly list: CampaignList,
    private readonly views: CampaignViews,
  ) {}

  async execute(query: ReviewCampaigns): Promise<{ campaigns: DeskCampaignView[]; total: number }> {
    const owner = query.username === null ? null : await this.accounts.byUsername(query.username);
    if (query.username !== null && !owner) return { campaigns: [], total: 0 };
    const filter = { ...query.filter, ...(owner && { accountId: owner.id }) };
    const [campaigns, total] = await Promise.all([
      this.list.page(filter, (query.page - 1) * query.limit, query.limit),
      this.list.total(filter),
    ]);
    return { campaigns: await Promise.all(campaigns.map((counted) => this.views.ofDesk(counted))), total };
  }
}
