import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { AccountDirectory } from '../../accounts/index.js';
import { type CampaignFilter, CampaignList } from '../persistence/campaign-list.js';
import type { StaffCampaignAnswer } from '../http/staff-campaign.dto.js';
import { CampaignViews } from './campaign-views.js';

/** A page of all accounts' campaigns for staff, newest first. */
export class ReviewCampaignsQuery extends Query<{ campaigns: StaffCampaignAnswer[]; total: number }> {
  /** @param username only this account's, byte for byte; null = those of all accounts */
  constructor(
    readonly username: string | null,
    readonly filter: Omit<CampaignFilter, 'accountId'>,
    readonly page: number,
    readonly limit: number,
  ) {
    super();
  }
}

@QueryHandler(ReviewCampaignsQuery)
export class ReviewCampaignsHandler implements IQueryHandler<ReviewCampaignsQuery> {
  constructor(
    private readonly accounts: AccountDirectory,
    private readonly list: CampaignList,
    private readonly views: CampaignViews,
  ) {}

  async execute(query: ReviewCampaignsQuery): Promise<{ campaigns: StaffCampaignAnswer[]; total: number }> {
    const owner = query.username === null ? null : await this.accounts.byUsername(query.username);
    if (query.username !== null && !owner) return { campaigns: [], total: 0 };
    const filter = { ...query.filter, ...(owner && { accountId: owner.id }) };
    const [campaigns, total] = await Promise.all([
      this.list.page(filter, (query.page - 1) * query.limit, query.limit),
      this.list.total(filter),
    ]);
    return { campaigns: await Promise.all(campaigns.map((counted) => this.views.forStaff(counted))), total };
  }
}
