import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { inTransaction, type WriteResult } from '../../../platform/database/index.js';
import type { LaneJob } from '../../../platform/queues/index.js';
import type { DueRecipient } from '../domain/attempts.js';
import type { CampaignState, ChannelName } from '../domain/campaign.js';
import { begunRetries, dropLeftOver } from './retry-store.js';

/** A lane with what its next turn needs of the campaign. */
export interface LaneTurn {
  campaignId: number;
  lane: number;
  fence: number;
  nextSeq: number;
  intentSeq: number;
  endSeq: number;
  state: CampaignState;
  channel: ChannelName;
  accountId: number;
  routeId: number;
  content: Record<string, unknown>;
  /** retries that are due, and retries that another worker had begun */
  dueRetries: number;
  begunRetries: number;
}

interface TurnRow {
  next_seq: number;
  intent_seq: number;
  end_seq: number;
  state: CampaignState;
  channel: ChannelName;
  account_id: number;
  route_id: number;
  content: string;
  due_retries: number;
  begun_retries: number;
}

/** What a lane wants when its turn ends: another at once; one at its `wake_at` (null while paused); none any more. */
export type LaneEnd = 'more' | 'later' | 'done';

/** How long the relay leaves a lane alone once it has a job: a job lost with Redis is made again after this, seconds. */
const JOB_PATIENCE_SECONDS = 15;
const LEASE = 'UTC_TIMESTAMP(3) + INTERVAL ? MICROSECOND';
const FREE = '(lease_until IS NULL OR lease_until <= UTC_TIMESTAMP(3))';

/**
 * Lanes: position, lease and fence. A lane row is also its own outbox entry: `wake_at` says when it next wants a job
 * (docs/decisions/0002), so Redis may be emptied at any moment.
 */
@Injectable()
export class LaneStore {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Takes due lanes for enqueuing and moves their `wake_at` ahead; several relays never take the same. */
  takeDue(channels: readonly ChannelName[], limit: number): Promise<(LaneJob & { channel: ChannelName })[]> {
    return inTransaction(this.dataSource, async (tx) => {
      const rows: { campaign_id: number; lane: number; fence: number; channel: ChannelName }[] = await tx.query(
        `SELECT campaign_id, lane, fence, channel FROM campaign_lanes
         WHERE wake_at <= UTC_TIMESTAMP(3) AND channel IN (?) ORDER BY wake_at LIMIT ? FOR UPDATE SKIP LOCKED`,
        [channels, limit],
      );
      if (rows.length === 0) return [];
      await tx.query(
        `UPDATE campaign_lanes SET wake_at = UTC_TIMESTAMP(3) + INTERVAL ${JOB_PATIENCE_SECONDS} SECOND
         WHERE (campaign_id, lane) IN (?)`,
        [rows.map((row) => [row.campaign_id, row.lane])],
      );
      return rows.map((row) => ({
        campaignId: row.campaign_id,
        lane: row.lane,
        fence: row.fence,
        channel: row.channel,
      }));
    });
  }

  /** What this job's turn is about; null when another job had the turn. */
  async turn(job: LaneJob): Promise<LaneTurn | null> {
    const rows: TurnRow[] = await this.dataSource.query(
      `SELECT l.fence, l.next_seq, l.intent_seq, l.end_seq, c.state, c.channel, c.account_id, c.route_id, c.content,
         (SELECT COUNT(*) FROM recipient_retries r WHERE r.campaign_id = l.campaign_id AND r.lane = l.lane
            AND r.intent_fence IS NULL AND r.due_at <= UTC_TIMESTAMP(3)) AS due_retries,
         (SELECT COUNT(*) FROM recipient_retries r WHERE r.campaign_id = l.campaign_id AND r.lane = l.lane
            AND r.intent_fence IS NOT NULL) AS begun_retries
       FROM campaign_lanes l JOIN campaigns c ON c.id = l.campaign_id
       WHERE l.campaign_id = ? AND l.lane = ? AND l.fence = ? AND ${FREE.replaceAll('lease_until', 'l.lease_until')}`,
      [job.campaignId, job.lane, job.fence],
    );
    const row = rows[0];
    if (!row) return null;
    return {
      ...job,
      nextSeq: row.next_seq,
      intentSeq: row.intent_seq,
      endSeq: row.end_seq,
      state: row.state,
      channel: row.channel,
      accountId: row.account_id,
      routeId: row.route_id,
      content: JSON.parse(row.content) as Record<string, unknown>,
      dueRetries: Number(row.due_retries),
      begunRetries: Number(row.begun_retries),
    };
  }

  /**
   * Takes the lease and records the intent before anything leaves, in one statement.
   * @returns false when somebody else took the turn
   */
  async claim(job: LaneJob, intentSeq: number, leaseMs: number): Promise<boolean> {
    const result: WriteResult = await this.dataSource.query(
      `UPDATE campaign_lanes SET fence = fence + 1, intent_seq = ?, lease_until = ${LEASE}, wake_at = ${LEASE}
       WHERE campaign_id = ? AND lane = ? AND fence = ? AND ${FREE}`,
      [intentSeq, leaseMs * 1000, leaseMs * 1000, job.campaignId, job.lane, job.fence],
    );
    return result.affectedRows === 1;
  }

  /**
   * As `claim`, for retries that are due: their rows carry the fence as the recorded intent.
   * @param deduplicated whether those of unknown outcome may be sent again; else their retries go
   */
  async claimRetries(
    job: LaneJob,
    limit: number,
    leaseMs: number,
    deduplicated = false,
  ): Promise<DueRecipient[] | null> {
    return inTransaction(this.dataSource, async (tx) => {
      const claimed: WriteResult = await tx.query(
        `UPDATE campaign_lanes SET fence = fence + 1, lease_until = ${LEASE}, wake_at = ${LEASE}
         WHERE campaign_id = ? AND lane = ? AND fence = ? AND ${FREE}`,
        [leaseMs * 1000, leaseMs * 1000, job.campaignId, job.lane, job.fence],
      );
      if (claimed.affectedRows !== 1) return null;
      const begun: WriteResult = await tx.query(
        `UPDATE recipient_retries SET intent_fence = ? WHERE campaign_id = ? AND lane = ? AND intent_fence IS NULL
           AND due_at <= UTC_TIMESTAMP(3) ORDER BY due_at, seq LIMIT ?`,
        [job.fence + 1, job.campaignId, job.lane, limit],
      );
      const recipients = await begunRetries(tx, job, job.fence + 1, deduplicated);
      if (recipients.length < begun.affectedRows) await dropLeftOver(tx, job, recipients);
      return recipients;
    });
  }

  /** Recipients of a window that still wait. */
  async pending(campaignId: number, fromSeq: number, endSeq: number): Promise<DueRecipient[]> {
    return this.dataSource.query(
      `SELECT seq, receiver, 1 AS attempt FROM campaign_recipients
       WHERE campaign_id = ? AND seq >= ? AND seq < ? AND status = 0 ORDER BY seq`,
      [campaignId, fromSeq, endSeq],
    );
  }

  /** Keeps the lease while a window takes its time; one that has been given back stays given back. */
  async renew(job: LaneJob, fence: number, leaseMs: number): Promise<boolean> {
    const result: WriteResult = await this.dataSource.query(
      `UPDATE campaign_lanes SET lease_until = ${LEASE}, wake_at = ${LEASE}
       WHERE campaign_id = ? AND lane = ? AND fence = ? AND lease_until IS NOT NULL`,
      [leaseMs * 1000, leaseMs * 1000, job.campaignId, job.lane, fence],
    );
    return result.affectedRows === 1;
  }

  /**
   * Ends a turn: position moved to the intent, lease given back, next wake decided from the campaign's state as locked here,
   * so that a pause or a cancel between the claim and now is never overwritten.
   * @param reached the new position of a turn that sent nothing, and so recorded no intent
   * @returns whether the lane wants another turn at once
   */
  async finish(tx: EntityManager, job: LaneJob, fence: number, reached: number | null = null): Promise<LaneEnd> {
    const states: { state: CampaignState }[] = await tx.query(
      'SELECT state FROM campaigns WHERE id = ? LOCK IN SHARE MODE',
      [job.campaignId],
    );
    const lanes: { intent_seq: number; end_seq: number }[] = await tx.query(
      'SELECT intent_seq, end_seq FROM campaign_lanes WHERE campaign_id = ? AND lane = ? AND fence = ? FOR UPDATE',
      [job.campaignId, job.lane, fence],
    );
    const lane = lanes[0];
    if (!lane) return 'done';
    const retries: { due_at: Date | null; due: number | null }[] = await tx.query(
      `SELECT MIN(due_at) AS due_at, MIN(due_at) <= UTC_TIMESTAMP(3) AS due FROM recipient_retries
       WHERE campaign_id = ? AND lane = ?`,
      [job.campaignId, job.lane],
    );
    const due = retries[0];
    const state = states[0]?.state;
    const position = reached ?? lane.intent_seq;
    const unsent = position < lane.end_seq;
    const open = unsent || Boolean(due?.due_at);
    const stopped = state === 'paused';
    // What a cancel or a rejection ends need not wait for its next try.
    const ended = state === 'cancelled' || state === 'rejected';
    const more = open && !stopped && (unsent || ended || Number(due?.due) === 1);
    const wake = !open || stopped ? 'NULL' : more ? `UTC_TIMESTAMP(3) + INTERVAL ${JOB_PATIENCE_SECONDS} SECOND` : '?';
    await tx.query(
      `UPDATE campaign_lanes SET next_seq = ?, intent_seq = ?, lease_until = NULL, wake_at = ${wake}
       WHERE campaign_id = ? AND lane = ? AND fence = ?`,
      [position, position, ...(wake === '?' ? [due?.due_at] : []), job.campaignId, job.lane, fence],
    );
    if (!open) await this.markSent(tx, job.campaignId);
    return more ? 'more' : open ? 'later' : 'done';
  }

  /** Looks again at a lane that could not send now, without a turn having been taken. */
  async postpone(job: LaneJob, delayMs: number): Promise<void> {
    await this.dataSource.query(
      `UPDATE campaign_lanes SET wake_at = UTC_TIMESTAMP(3) + INTERVAL ? MICROSECOND
       WHERE campaign_id = ? AND lane = ? AND fence = ? AND wake_at IS NOT NULL`,
      [delayMs * 1000, job.campaignId, job.lane, job.fence],
    );
  }

  /** A lane that a retry has woken while its campaign is paused: resuming wakes it again. */
  async sleep({ campaignId, lane, fence }: LaneJob): Promise<void> {
    await this.dataSource.query(
      `UPDATE campaign_lanes l JOIN campaigns c ON c.id = l.campaign_id SET l.wake_at = NULL
       WHERE l.campaign_id = ? AND l.lane = ? AND l.fence = ? AND c.state = 'paused'`,
      [campaignId, lane, fence],
    );
  }

  /** `sent_at`: the last recipient left. */
  private async markSent(tx: EntityManager, campaignId: number): Promise<void> {
    await tx.query(
      `UPDATE campaigns c SET c.sent_at = UTC_TIMESTAMP(3) WHERE c.id = ? AND c.sent_at IS NULL AND NOT EXISTS (
         SELECT 1 FROM campaign_counters k WHERE k.campaign_id = c.id AND k.status = 0 AND k.recipients > 0)`,
      [campaignId],
    );
  }
}
