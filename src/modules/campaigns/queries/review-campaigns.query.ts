import { Query } from '@nestjs/cqrs';
import type { CampaignFilter } from '../persistence/campaign-list.js';
import type { DeskCampaignView } from './campaign-views.js';

/** A page of all accounts' campaigns for the desk, newest first. */
export class ReviewCampaigns extends Query<{ campaigns: DeskCampaignView[]; total: number }> {
  /** @param username only this account's, byte for byte; null = everybody's */
  constructor(
    readonly username: string | null,
    readonly filter: Omit<CampaignFilter, 'accountId'>,
    readonly page: number,
    readonly limit: number,
  ) {
    super();
  }
}
