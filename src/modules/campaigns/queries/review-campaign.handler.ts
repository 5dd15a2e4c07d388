import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { campaignErrors } from '../campaigns.errors.js';
import { CampaignReader } from '../persistence/campaign-reader.js';
import { CampaignViews, type DeskCampaignView } from './campaign-views.js';
import { ReviewCampaign } from './review-campaign.query.js';

@QueryHandler(ReviewCampaign)
export class ReviewCampaignHandler implements IQueryHandler<ReviewCampaign> {
  constructor(
    private readonly reader: CampaignReader,
    private readonly views: CampaignViews,
  ) {}

  async execute({ requestId }: ReviewCampaign): Promise<DeskCampaignView> {
    const campaign = await this.reader.byRequestId(requestId);
    if (!campaign) throw campaignErrors.notFound();
    return this.views.ofDesk({ campaign, counts: await this.reader.counts(campaign.id) });
  }
}
