import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { Actor } from '../../accounts/index.js';
import { CampaignReader } from '../../engine/index.js';
import { campaignOf } from '../campaign-access.js';
import type { CampaignDetailData } from '../http/campaign-detail.dto.js';
import { counted } from '../persistence/campaign-list.js';
import { CampaignViews } from './campaign-views.js';

/** @throws AppError not_found `Campaign not found` */
export class GetCampaignQuery extends Query<CampaignDetailData> {
  constructor(
    readonly actor: Actor,
    readonly requestId: string,
  ) {
    super();
  }
}

@QueryHandler(GetCampaignQuery)
export class GetCampaignHandler implements IQueryHandler<GetCampaignQuery> {
  constructor(
    private readonly reader: CampaignReader,
    private readonly views: CampaignViews,
  ) {}

  async execute({ actor, requestId }: GetCampaignQuery): Promise<CampaignDetailData> {
    const campaign = await campaignOf(this.reader, actor, requestId);
    return this.views.inDetail(await counted(this.reader, campaign));
  }
}
