import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { campaignOf } from '../campaign-access.js';
import { CampaignReader } from '../persistence/campaign-reader.js';
import type { CampaignView } from './campaign.view.js';
import { CampaignViews } from './campaign-views.js';
import { GetCampaign } from './get-campaign.query.js';

@QueryHandler(GetCampaign)
export class GetCampaignHandler implements IQueryHandler<GetCampaign> {
  constructor(
    private readonly reader: CampaignReader,
    private readonly views: CampaignViews,
  ) {}

  async execute({ actor, requestId }: GetCampaign): Promise<CampaignView> {
    const campaign = await campaignOf(this.reader, actor, requestId);
    return this.views.ofOwner({ campaign, counts: await this.reader.counts(campaign.id) });
  }
}
