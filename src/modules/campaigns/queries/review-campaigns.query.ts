import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Listed, NOTHING_LISTED, type Page } from '../../../kernel/lists.js';
import { AccountDirectory } from '../../accounts/index.js';
import { CampaignList, type WantedCampaigns } from '../persistence/campaign-list.js';
import type { StaffCampaignAnswer } from '../http/staff-campaign.dto.js';
import { CampaignViews } from './campaign-views.js';

/** A page of all accounts' campaigns for staff, newest first. */
export class ReviewCampaignsQuery extends Query<Listed<StaffCampaignAnswer>> {
  /**
   * @param username only this account's, byte for byte; null = those of all accounts
   * @param timeZone in which times are shown
   */
  constructor(
    readonly username: string | null,
    readonly filter: Omit<WantedCampaigns, 'accountId'>,
    readonly page: Page,
    readonly timeZone: string,
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

  async execute(query: ReviewCampaignsQuery): Promise<Listed<StaffCampaignAnswer>> {
    const owner = query.username === null ? null : await this.accounts.byUsername(query.username);
    if (query.username !== null && !owner) return NOTHING_LISTED;
    const filter = { ...query.filter, ...(owner && { accountId: owner.id }) };
    const listed = await this.list.part(filter, query.page);
    return {
      ...listed,
      items: await Promise.all(listed.items.map((counted) => this.views.forStaff(counted, query.timeZone))),
    };
  }
}
