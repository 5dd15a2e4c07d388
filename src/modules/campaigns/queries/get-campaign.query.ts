import { Query } from '@nestjs/cqrs';
import type { Actor } from '../../accounts/index.js';

/** A campaign as its owner sees it; times in the account's zone. */
export interface CampaignView {
  request_id: string;
  channel: string;
  broadcast_name: string;
  /** the channel's own text (spec 2.3), at the end Completed, Cancelled or Rejected */
  status: string;
  state: string;
  total_rows: number;
  status_counts: Record<string, number>;
  /** credits charged at acceptance; refunds stand in the ledger */
  credits: number;
  retry_of: string | null;
  scheduled_at: string | null;
  created_at: string;
  sent_at: string | null;
  completed_at: string | null;
}

/** @throws AppError not_found `Campaign not found` */
export class GetCampaign extends Query<CampaignView> {
  constructor(
    readonly actor: Actor,
    readonly requestId: string,
  ) {
    super();
  }
}
