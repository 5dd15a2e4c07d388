import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { inTransaction } from '../../../platform/database/index.js';
import type { CampaignState } from '../domain/campaign.js';
import type { WriteResult } from './json-rows.js';

/** A campaign that has sent before goes on running; one that has not waits for its first window. */
const RESUMED = `IF(overdue_check_at IS NULL, 'accepted', 'running')`;
/** Resuming or approving never sends before the schedule. */
const WHEN_SCHEDULED = `GREATEST(UTC_TIMESTAMP(3), COALESCE(
  (SELECT c.scheduled_at FROM campaigns c WHERE c.id = campaign_lanes.campaign_id), UTC_TIMESTAMP(3)))`;

/** Moves a campaign from one state to the next, and its lanes with it. Each answers false when the state did not allow it. */
@Injectable()
export class CampaignStates {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Before the first window leaves: accepted → running; from now on receipts have a deadline. */
  async begin(campaignId: number, receiptTimeoutMs: number): Promise<void> {
    await this.dataSource.query(
      `UPDATE campaigns SET state = 'running', overdue_check_at = UTC_TIMESTAMP(3) + INTERVAL ? MICROSECOND
       WHERE id = ? AND state = 'accepted'`,
      [receiptTimeoutMs * 1000, campaignId],
    );
  }

  /** Acts within one window: the lanes sleep, and a window under way leaves its lane asleep. */
  pause(campaignId: number): Promise<boolean> {
    return this.move(campaignId, ['accepted', 'running'], `'paused'`, 'NULL');
  }

  resume(campaignId: number): Promise<boolean> {
    return this.move(campaignId, ['paused'], RESUMED, WHEN_SCHEDULED);
  }

  /** The answer is immediate; the lanes cancel and refund what has not left, in bounded steps. */
  cancel(campaignId: number): Promise<boolean> {
    return this.move(
      campaignId,
      ['pending_approval', 'accepted', 'running', 'paused'],
      `'cancelled'`,
      'UTC_TIMESTAMP(3)',
    );
  }

  approve(campaignId: number): Promise<boolean> {
    return this.move(campaignId, ['pending_approval'], `'accepted'`, WHEN_SCHEDULED);
  }

  reject(campaignId: number): Promise<boolean> {
    return this.move(campaignId, ['pending_approval'], `'rejected'`, 'UTC_TIMESTAMP(3)');
  }

  /** A new fence for lanes that nobody holds: a turn that was planned under the old state can no longer be claimed. */
  private move(campaignId: number, from: CampaignState[], to: string, wakeAt: string): Promise<boolean> {
    return inTransaction(this.dataSource, async (tx: EntityManager) => {
      const result: WriteResult = await tx.query(`UPDATE campaigns SET state = ${to} WHERE id = ? AND state IN (?)`, [
        campaignId,
        from,
      ]);
      if (result.affectedRows !== 1) return false;
      await tx.query(
        `UPDATE campaign_lanes SET wake_at = ${wakeAt},
           fence = IF(lease_until IS NULL OR lease_until <= UTC_TIMESTAMP(3), fence + 1, fence)
         WHERE campaign_id = ? AND (next_seq < end_seq OR EXISTS (
           SELECT 1 FROM recipient_retries r WHERE r.campaign_id = campaign_lanes.campaign_id AND r.lane = campaign_lanes.lane))`,
        [campaignId],
      );
      return true;
    });
  }
}
