import { Query } from '@nestjs/cqrs';
import type { DeskCampaignView } from './campaign-views.js';

/** One campaign of any account, as the desk sees it. @throws AppError not_found `Campaign not found` */
export class ReviewCampaign extends Query<DeskCampaignView> {
  constructor(readonly requestId: string) {
    super();
  }
}
