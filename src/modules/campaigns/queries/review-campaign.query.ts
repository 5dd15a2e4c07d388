import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { CampaignReader } from '../../engine/index.js';
import { campaignErrors } from '../campaigns.errors.js';
import type { StaffCampaignAnswer } from '../http/staff-campaign.dto.js';
import { counted } from '../persistence/campaign-list.js';
import { CampaignViews } from './campaign-views.js';

/** One campaign of any account, as staff see it. @throws AppError not_found `Campaign not found` */
export class ReviewCampaignQuery extends Query<StaffCampaignAnswer> {
  /** @param timeZone in which times are shown */
  constructor(
    readonly requestId: string,
    readonly timeZone: string,
  ) {
    super();
  }
}

@QueryHandler(ReviewCampaignQuery)
export class ReviewCampaignHandler implements IQueryHandler<ReviewCampaignQuery> {
  constructor(
    private readonly reader: CampaignReader,
    private readonly views: CampaignViews,
  ) {}

  async execute({ requestId, timeZone }: ReviewCampaignQuery): Promise<StaffCampaignAnswer> {
    const campaign = await this.reader.byRequestId(requestId);
    if (!campaign) throw campaignErrors.notFound();
    return this.views.forStaff(await counted(this.reader, campaign), timeZone);
  }
}
