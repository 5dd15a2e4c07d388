import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { inTransaction, type WriteResult } from '../../../platform/database/index.js';
import { isFree } from '../../../platform/leases/index.js';
import type { CampaignState, ChannelName } from './campaign.js';
import { type CampaignChange, CHANGES_FROM } from './campaign-change.js';

/** A campaign that has sent before goes on running; one that has not waits for its first window. */
const RESUMED = `IF(overdue_check_at IS NULL, 'accepted', 'running')`;
/** Resuming or approving never sends before the schedule. */
const WHEN_SCHEDULED = `GREATEST(UTC_TIMESTAMP(3), COALESCE(
  (SELECT c.scheduled_at FROM campaigns c WHERE c.id = campaign_lanes.campaign_id), UTC_TIMESTAMP(3)))`;

/** A lane that a worker holds, or has died with, is looked at again; the others sleep. */
const WHILE_HELD = 'IF(lease_until IS NULL, NULL, UTC_TIMESTAMP(3))';

/**
 * New state and next wake of the lanes, as SQL. Every open lane is written, a held one too: the turn that ends it at the
 * same moment sees the new state, or is run again (docs/decisions/0004). A window under way leaves the lanes of a paused
 * campaign asleep; those of a cancelled or rejected one cancel and refund what has not left, in bounded steps.
 */
const MOVES: Readonly<Record<CampaignChange, { to: string; wakeAt: string }>> = {
  pause: { to: `'paused'`, wakeAt: WHILE_HELD },
  resume: { to: RESUMED, wakeAt: WHEN_SCHEDULED },
  cancel: { to: `'cancelled'`, wakeAt: 'UTC_TIMESTAMP(3)' },
  approve: { to: `'accepted'`, wakeAt: WHEN_SCHEDULED },
  reject: { to: `'rejected'`, wakeAt: 'UTC_TIMESTAMP(3)' },
};

/** A campaign that wants to send more. */
export interface UnsentCampaign {
  id: number;
  requestId: string;
  channel: ChannelName;
  state: CampaignState;
}

/** Moves a campaign from one state to the next, and its lanes with it. Each answers false when the state did not allow it. */
@Injectable()
export class CampaignStates {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Before the first window leaves: accepted → running; from now on receipts have a deadline. */
  async begin(tx: EntityManager, campaignId: number, receiptTimeoutMs: number): Promise<void> {
    await tx.query(
      `UPDATE campaigns SET state = 'running', overdue_check_at = UTC_TIMESTAMP(3) + INTERVAL ? MICROSECOND
       WHERE id = ? AND state = 'accepted'`,
      [receiptTimeoutMs * 1000, campaignId],
    );
  }

  /** Campaigns of an account that want to send more, by id and locked until the transaction ends. */
  async unsentOf(tx: EntityManager, accountId: number): Promise<UnsentCampaign[]> {
    return tx.query(
      `SELECT c.id, c.request_id AS requestId, c.channel, c.state FROM campaigns c
       WHERE c.account_id = ? AND c.state IN (?) AND EXISTS (
         SELECT 1 FROM campaign_lanes l WHERE l.campaign_id = c.id AND l.wake_at IS NOT NULL)
       ORDER BY c.id FOR UPDATE`,
      [accountId, CHANGES_FROM.pause],
    );
  }

  /** The state as it stands, locked until the transaction ends. */
  async locked(tx: EntityManager, campaignId: number): Promise<CampaignState | null> {
    const rows: { state: CampaignState }[] = await tx.query('SELECT state FROM campaigns WHERE id = ? FOR UPDATE', [
      campaignId,
    ]);
    return rows[0]?.state ?? null;
  }

  /** A new fence for lanes that nobody holds: a turn that was planned under the old state can no longer be claimed. */
  async change(tx: EntityManager, campaignId: number, change: CampaignChange): Promise<boolean> {
    const { to, wakeAt } = MOVES[change];
    const result: WriteResult = await tx.query(`UPDATE campaigns SET state = ${to} WHERE id = ? AND state IN (?)`, [
      campaignId,
      CHANGES_FROM[change],
    ]);
    if (result.affectedRows !== 1) return false;
    await tx.query(
      `UPDATE campaign_lanes SET wake_at = ${wakeAt}, stalled_since = NULL,
         fence = IF(${isFree()}, fence + 1, fence)
       WHERE campaign_id = ? AND (next_seq < end_seq OR EXISTS (
         SELECT 1 FROM recipient_retries r WHERE r.campaign_id = campaign_lanes.campaign_id AND r.lane = campaign_lanes.lane))`,
      [campaignId],
    );
    return true;
  }

  /** The same in a transaction of its own. */
  changeAlone(campaignId: number, change: CampaignChange): Promise<boolean> {
    return inTransaction(this.dataSource, (tx) => this.change(tx, campaignId, change));
  }
}
