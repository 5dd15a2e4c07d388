import { Query } from '@nestjs/cqrs';
import type { Actor } from '../../accounts/index.js';
import type { CampaignView } from './campaign.view.js';

/** @throws AppError not_found `Campaign not found` */
export class GetCampaign extends Query<CampaignView> {
  constructor(
    readonly actor: Actor,
    readonly requestId: string,
  ) {
    super();
  }
}
