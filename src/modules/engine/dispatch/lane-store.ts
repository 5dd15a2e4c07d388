import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { inTransaction, type WriteResult } from '../../../platform/database/index.js';
import { isFree, LeasedTable, takeDue } from '../../../platform/leases/index.js';
import type { LaneJob } from '../../../platform/queues/index.js';
import type { DueRecipient } from '../settle/attempts.js';
import { sqlStates } from '../state/campaign-states.js';
import { type CampaignState, LANE_DUTY, statesThat } from '../state/campaign-transitions.js';
import { WINDOW_RECIPIENTS } from './window-tempo.js';
import { RecipientStatus } from '../state/recipient-status.js';
import { begunRetries, dropLeftOver } from '../settle/retry-store.js';

/** A lane with what its next turn needs of the campaign. */
export interface LaneTurn {
  campaignId: number;
  lane: number;
  fence: number;
  nextSeq: number;
  intentSeq: number;
  endSeq: number;
  state: CampaignState;
  channel: string;
  accountId: number;
  routeId: number;
  content: Record<string, unknown>;
  /** retries that are due, counted up to the size of a window */
  dueRetries: number;
  /** another worker had begun retries, and has not ended them */
  retriesBegun: boolean;
  /** for how long nothing has got through; null = it moves */
  stalledMs: number | null;
}

interface TurnRow {
  next_seq: number;
  intent_seq: number;
  end_seq: number;
  state: CampaignState;
  channel: string;
  account_id: number;
  route_id: number;
  content: string;
  due_retries: string;
  retries_begun: number;
  stalled_us: string | null;
}

/** What a claim brings besides the lease. */
export interface ClaimTerms {
  /** names this claim, so that its maker can give it back when its answer was lost; see `newClaimId` */
  id?: number;
  /** of a campaign's first window: what goes with the claim, in its transaction */
  alongside?: ((tx: EntityManager) => Promise<unknown>) | undefined;
}

/** 48 random bits: no two processes take the same. */
export const newClaimId = (): number => randomBytes(6).readUIntBE(0, 6);

/** What is left of a lane when its turn ends. */
interface LeftRow {
  state: CampaignState;
  unsent: number;
  due_at: Date | null;
  due: number | null;
}

/** What a lane wants when its turn ends: another at once; one at its `wake_at` (null while paused); none any more. */
export type LaneEnd = 'more' | 'later' | 'done';

/** How long the relay leaves a lane alone once it has a job: a job lost with Redis is made again after this. */
const JOB_PATIENCE_MS = 15_000;
/** A lane wakes when its lease is over: the worker that held it is gone by then. */
const LANES = new LeasedTable({ table: 'campaign_lanes', key: ['campaign_id', 'lane'], moved: ['wake_at'] });
const STALLED = 'stalled_since = COALESCE(stalled_since, UTC_TIMESTAMP(3)),';

/**
 * Lanes: position, lease and fence. A lane row is also its own outbox entry: `wake_at` says when it next wants a job
 * (docs/decisions/0002), so Redis may be emptied at any moment.
 */
@Injectable()
export class LaneStore {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Takes due lanes for enqueuing and moves their `wake_at` ahead; several relays never take the same. */
  async takeDue(channels: readonly string[], limit: number): Promise<(LaneJob & { channel: string })[]> {
    const rows = await takeDue<{ campaign_id: number; lane: number; fence: number; channel: string }>(this.dataSource, {
      table: 'campaign_lanes',
      key: ['campaign_id', 'lane'],
      columns: ['fence', 'channel'],
      due: 'wake_at',
      where: { sql: 'channel IN (?)', values: [channels] },
      most: limit,
      againAfterMs: JOB_PATIENCE_MS,
    });
    return rows.map(({ campaign_id: campaignId, ...lane }) => ({ campaignId, ...lane }));
  }

  /** What this job's turn is about; null when another job had the turn. */
  async turn(job: LaneJob): Promise<LaneTurn | null> {
    const rows: TurnRow[] = await this.dataSource.query(
      `SELECT l.fence, l.next_seq, l.intent_seq, l.end_seq, c.state, c.channel, c.account_id, c.route_id, c.content,
         TIMESTAMPDIFF(MICROSECOND, l.stalled_since, UTC_TIMESTAMP(3)) AS stalled_us,
         (SELECT COUNT(*) FROM (SELECT 1 FROM recipient_retries WHERE campaign_id = ? AND lane = ?
            AND intent_fence IS NULL AND due_at <= UTC_TIMESTAMP(3) LIMIT ${WINDOW_RECIPIENTS}) r) AS due_retries,
         EXISTS (SELECT 1 FROM recipient_retries WHERE campaign_id = ? AND lane = ?
            AND intent_fence IS NOT NULL) AS retries_begun
       FROM campaign_lanes l JOIN campaigns c ON c.id = l.campaign_id
       WHERE l.campaign_id = ? AND l.lane = ? AND l.fence = ? AND ${isFree('l')}`,
      [job.campaignId, job.lane, job.campaignId, job.lane, job.campaignId, job.lane, job.fence],
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
      retriesBegun: Number(row.retries_begun) === 1,
      stalledMs: row.stalled_us === null ? null : Number(row.stalled_us) / 1_000,
    };
  }

  /**
   * Takes the lease and records the intent before anything leaves, in one statement.
   * @returns false when another worker took the turn
   */
  async claim(job: LaneJob, intentSeq: number, leaseMs: number, terms: ClaimTerms = {}): Promise<boolean> {
    const { id = newClaimId(), alongside } = terms;
    const set = { claim_id: id, intent_seq: intentSeq };
    const take = (source: DataSource | EntityManager): Promise<boolean> =>
      LANES.claim(source, keyOf(job), leaseMs, { fence: job.fence, set });
    if (!alongside) return take(this.dataSource);
    return inTransaction(this.dataSource, async (tx) => {
      await alongside(tx);
      return take(tx);
    });
  }

  /**
   * As `claim`, for retries that are due: their rows carry the fence as the recorded intent.
   * @param deduplicated whether those of unknown outcome may be sent again; else their retries go
   */
  async claimRetries(
    job: LaneJob,
    limit: number,
    leaseMs: number,
    { deduplicated = false, ...terms }: ClaimTerms & { deduplicated?: boolean } = {},
  ): Promise<DueRecipient[] | null> {
    return inTransaction(this.dataSource, async (tx) => {
      await terms.alongside?.(tx);
      const claim = { fence: job.fence, set: { claim_id: terms.id ?? newClaimId() } };
      if (!(await LANES.claim(tx, keyOf(job), leaseMs, claim))) return null;
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

  /**
   * Takes back a claim whose answer was lost, whether or not it was written. Nothing has left, so the intent goes as well.
   * The next fence refuses a claim that is still on its way; another worker's turn stays as it is.
   */
  giveBack({ campaignId, lane, fence }: LaneJob, claimId: number): Promise<void> {
    return inTransaction(this.dataSource, async (tx) => {
      const result: WriteResult = await tx.query(
        `UPDATE campaign_lanes SET fence = fence + 1, intent_seq = next_seq, lease_until = NULL, wake_at = UTC_TIMESTAMP(3)
         WHERE campaign_id = ? AND lane = ? AND (fence = ? AND claim_id = ? OR fence = ? AND ${isFree()})`,
        [campaignId, lane, fence + 1, claimId, fence],
      );
      if (result.affectedRows !== 1) return;
      await tx.query(
        'UPDATE recipient_retries SET intent_fence = NULL WHERE campaign_id = ? AND lane = ? AND intent_fence = ?',
        [campaignId, lane, fence + 1],
      );
    });
  }

  /** Recipients of a window that still wait. Read before the claim: only a turn of the lane changes them. */
  async pending(campaignId: number, fromSeq: number, endSeq: number): Promise<DueRecipient[]> {
    return this.dataSource.query(
      `SELECT seq, receiver AS number, 1 AS attempt FROM campaign_recipients
       WHERE campaign_id = ? AND seq >= ? AND seq < ? AND status = ${RecipientStatus.Pending} ORDER BY seq`,
      [campaignId, fromSeq, endSeq],
    );
  }

  /** Keeps the lease while a window takes its time; one that has been given back stays given back. */
  renew(job: LaneJob, fence: number, leaseMs: number): Promise<boolean> {
    return LANES.renew(this.dataSource, keyOf(job), fence, leaseMs);
  }

  /**
   * Ends a turn: position moved to the intent, lease given back, next wake decided. The campaign is read, not locked, once
   * the lane is written: every change of its state writes every open lane too, so one of both waits for the other, and on
   * two nodes one of both is run again.
   * @param reached the new position of a turn that sent nothing, and so recorded no intent
   * @returns whether the lane wants another turn at once
   */
  async finish(tx: EntityManager, turn: LaneTurn, fence: number, reached: number | null = null): Promise<LaneEnd> {
    const { campaignId, lane } = turn;
    // Campaigns are locked before lanes.
    if ((reached ?? turn.nextSeq + WINDOW_RECIPIENTS) >= turn.endSeq) await this.markSent(tx, campaignId, lane);
    const ended: WriteResult = await tx.query(
      `UPDATE campaign_lanes SET next_seq = COALESCE(?, intent_seq), intent_seq = COALESCE(?, intent_seq),
         lease_until = NULL, wake_at = UTC_TIMESTAMP(3) + INTERVAL ${JOB_PATIENCE_MS * 1000} MICROSECOND
       WHERE campaign_id = ? AND lane = ? AND fence = ?`,
      [reached, reached, campaignId, lane, fence],
    );
    if (ended.affectedRows !== 1) return 'done';
    const [row] = await tx.query<LeftRow[]>(
      `SELECT c.state, l.next_seq < l.end_seq AS unsent, r.due_at, r.due_at <= UTC_TIMESTAMP(3) AS due
       FROM campaign_lanes l JOIN campaigns c ON c.id = l.campaign_id
       LEFT JOIN (SELECT due_at FROM recipient_retries WHERE campaign_id = ? AND lane = ? AND intent_fence IS NULL
         ORDER BY due_at LIMIT 1) r ON TRUE
       WHERE l.campaign_id = ? AND l.lane = ?`,
      [campaignId, lane, campaignId, lane],
    );
    const unsent = Number(row?.unsent) === 1;
    const dueAt = row?.due_at ?? null;
    const open = unsent || dueAt !== null;
    const duty = row ? LANE_DUTY[row.state] : 'rest';
    // What a cancel or a rejection ends need not wait for its next try.
    if (open && duty !== 'wait' && (unsent || duty === 'refund' || Number(row?.due) === 1)) return 'more';
    await tx.query('UPDATE campaign_lanes SET wake_at = ? WHERE campaign_id = ? AND lane = ? AND fence = ?', [
      open && duty !== 'wait' ? dueAt : null,
      campaignId,
      lane,
      fence,
    ]);
    return open ? 'later' : 'done';
  }

  /**
   * Looks again at a lane that could not send now, without a turn having been taken.
   * @param stalled because its route is down: the clock of its deadline runs
   */
  async postpone(job: LaneJob, delayMs: number, stalled = false): Promise<void> {
    await this.dataSource.query(
      `UPDATE campaign_lanes SET ${stalled ? STALLED : ''} wake_at = UTC_TIMESTAMP(3) + INTERVAL ? MICROSECOND
       WHERE campaign_id = ? AND lane = ? AND fence = ? AND wake_at IS NOT NULL`,
      [delayMs * 1000, job.campaignId, job.lane, job.fence],
    );
  }

  /** A lane that a retry has woken while its campaign is paused: resuming wakes it again. */
  async sleep({ campaignId, lane, fence }: LaneJob): Promise<void> {
    await this.dataSource.query(
      `UPDATE campaign_lanes l JOIN campaigns c ON c.id = l.campaign_id SET l.wake_at = NULL
       WHERE l.campaign_id = ? AND l.lane = ? AND l.fence = ? AND c.state IN (${sqlStates(statesThat('wait'))})`,
      [campaignId, lane, fence],
    );
  }

  /** `sent_at`: the last recipient left, and no try of the lane waits. */
  private async markSent(tx: EntityManager, campaignId: number, lane: number): Promise<void> {
    await tx.query(
      `UPDATE campaigns c SET c.sent_at = UTC_TIMESTAMP(3) WHERE c.id = ? AND c.sent_at IS NULL
         AND NOT EXISTS (SELECT 1 FROM campaign_counters k WHERE k.campaign_id = c.id AND k.status = ${RecipientStatus.Pending} AND k.recipients > 0)
         AND NOT EXISTS (SELECT 1 FROM recipient_retries r WHERE r.campaign_id = c.id AND r.lane = ?)`,
      [campaignId, lane],
    );
  }
}

const keyOf = ({ campaignId, lane }: LaneJob): [campaignId: number, lane: number] => [campaignId, lane];
