import { Inject, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { newId } from '../../../kernel/ids.js';
import { type Environment, ENVIRONMENT } from '../../../platform/config/index.js';
import { again, inTransaction } from '../../../platform/database/index.js';
import type { DueRecipient } from '../attempts.js';
import { type CampaignState, LANE_ACTION } from '../campaign.js';
import { Channels } from '../channels.js';
import type { LaneSnapshot } from '../lanes.js';
import { RecipientStatus } from '../recipient.js';
import { BatchSpend } from '../settle/batch-spend.js';
import { markUnknown } from '../settle/lost-claims.js';
import type { RecipientChange } from '../settle/recipient-change.js';
import { Settlement } from '../settle/settlement.js';
import { CampaignStates } from '../state/campaign-states.js';
import { pendingOf, withVariables } from '../state/lane-claims.js';
import { removeLanes } from '../state/lane-endings.js';
import { LaneStore } from '../state/lane-store.js';
import { NEW_FENCE, RetryStore } from '../state/retries.js';

export interface FencedCopy {
  restoreId: number;
  /** campaigns that had something to send; below, their recipients that may have been sent to since */
  campaigns: number;
  mayHaveLeft: number;
  /** recipients whose last call outcome becomes final */
  callsEnded: number;
  /** scheduled campaigns, paused by the restore: nothing was sent */
  held: number;
}

interface CopiedCampaign {
  id: number;
  state: CampaignState;
  is_ahead: number;
}

interface WaitingRow {
  seq: number;
  number: string;
  status: RecipientStatus;
  attempt: number;
  attempts: number;
  last_status: RecipientStatus | null;
  error_code: number | null;
  error_message: string | null;
}

const RECIPIENTS_A_STEP = 2_000;
const CAMPAIGNS_A_READ = 500;
const CLOCK_MARGIN_MINUTES = 10;

/** Raises fences above any that a worker of the original may hold; see `NEW_FENCE`. */
const FENCED = `fence = GREATEST(fence + 1, ${NEW_FENCE})`;

/** Prepares a copied database, so that messages sent since are not sent again (docs/decisions/0042). Needs exclusive access. */
@Injectable()
export class RestoreFence {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly channels: Channels,
    private readonly lanes: LaneStore,
    private readonly retries: RetryStore,
    private readonly settlement: Settlement,
    private readonly spend: BatchSpend,
    private readonly states: CampaignStates,
  ) {}

  /** For a copy after which nothing was sent: excludes workers of the original; due lanes are sent. */
  async keepOut(): Promise<void> {
    await this.dataSource.query(again(`UPDATE campaign_lanes SET ${FENCED}`));
  }

  /** Marks all recipients that the copy would send to as possibly sent. */
  async raise(): Promise<FencedCopy> {
    const restoreId = newId();
    const done: FencedCopy = { restoreId, campaigns: 0, mayHaveLeft: 0, callsEnded: 0, held: 0 };
    await this.dataSource.query(again('INSERT IGNORE INTO restores (id, restored_at) VALUES (?, UTC_TIMESTAMP(3))'), [
      restoreId,
    ]);
    // Workers of the original may have settled these since: older submit logs must not take them back.
    await this.dataSource.query(
      again(`UPDATE unknown_outcomes SET lost_fence = NULL, lost_claim = NULL, lost_lane = NULL
       WHERE lost_claim IS NOT NULL AND lost_claim NOT IN (SELECT id FROM restores)`),
    );
    for (let after = 0; ;) {
      const campaigns = await this.campaigns(after);
      for (const campaign of campaigns) await this.fence(campaign, done);
      after = campaigns.at(-1)?.id ?? after;
      if (campaigns.length < CAMPAIGNS_A_READ) return done;
    }
  }

  /** Every unsent recipient belongs to a lane. */
  private campaigns(after: number): Promise<CopiedCampaign[]> {
    return this.dataSource.query(
      `SELECT c.id, c.state, c.overdue_check_at IS NULL
         AND COALESCE(c.scheduled_at > UTC_TIMESTAMP(3) + INTERVAL ${CLOCK_MARGIN_MINUTES} MINUTE, FALSE) AS is_ahead
       FROM campaigns c WHERE c.id > ? AND EXISTS (SELECT 1 FROM campaign_lanes l WHERE l.campaign_id = c.id)
       ORDER BY c.id LIMIT ${CAMPAIGNS_A_READ}`,
      [after],
    );
  }

  private async fence(campaign: CopiedCampaign, done: FencedCopy): Promise<void> {
    const action = LANE_ACTION[campaign.state];
    // Unsent recipients of a cancel are never sent: the refund goes on.
    if (action === 'refund' || action === 'nothing') return this.raiseLanes(this.dataSource, campaign.id, '');
    if (Number(campaign.is_ahead) === 1) {
      done.held += 1;
      return this.hold(campaign, done.restoreId);
    }
    done.campaigns += 1;
    await this.take(campaign, done.restoreId);
    const lanes = await this.lanesOf(campaign.id);
    for (const lane of lanes) {
      await this.giveUpRetries(lane, done);
      await this.giveUpRange(lane, done);
    }
    await inTransaction(this.dataSource, (tx) =>
      removeLanes(
        tx,
        lanes.map(({ campaignId, lane, fence }) => ({ campaign_id: campaignId, lane, fence })),
      ),
    );
    await this.states.markSent([campaign.id]);
  }

  private async raiseLanes(source: Pick<EntityManager, 'query'>, campaignId: number, besides: string): Promise<void> {
    await source.query(again(`UPDATE campaign_lanes SET ${FENCED}${besides} WHERE campaign_id = ?`), [campaignId]);
  }

  private hold({ id, state }: CopiedCampaign, restoreId: number): Promise<void> {
    return inTransaction(this.dataSource, async (tx) => {
      if (await this.states.change(tx, id, 'pause')) await this.record(tx, id, restoreId, state === 'accepted');
      await this.raiseLanes(tx, id, '');
    });
  }

  /** Takes the lanes and sets the receipt deadline. A campaign that waited for approval may have been approved. */
  private take({ id }: CopiedCampaign, restoreId: number): Promise<void> {
    const timeoutUs = Math.round(this.environment.RECEIPT_TIMEOUT * 1000);
    return inTransaction(this.dataSource, async (tx) => {
      await this.states.change(tx, id, 'approve');
      await this.states.begin(tx, [id], this.environment.RECEIPT_TIMEOUT);
      await tx.query(
        `UPDATE campaigns SET overdue_check_at = UTC_TIMESTAMP(3) + INTERVAL ? MICROSECOND
         WHERE id = ? AND overdue_check_at IS NULL`,
        [timeoutUs, id],
      );
      await this.record(tx, id, restoreId, false);
      await this.raiseLanes(
        tx,
        id,
        `, lease_until = NULL, wake_at = NULL, intent_seq = next_seq, claim_id = ${restoreId}`,
      );
    });
  }

  private async record(tx: EntityManager, campaignId: number, restoreId: number, held: boolean): Promise<void> {
    await tx.query('INSERT IGNORE INTO restored_campaigns (campaign_id, restore_id, held) VALUES (?, ?, ?)', [
      campaignId,
      restoreId,
      held ? 1 : 0,
    ]);
  }

  private async lanesOf(campaignId: number): Promise<LaneSnapshot[]> {
    const rows: { lane: number }[] = await this.dataSource.query(
      'SELECT lane FROM campaign_lanes WHERE campaign_id = ?',
      [campaignId],
    );
    return this.lanes.snapshots(rows.map(({ lane }) => ({ campaignId, lane })));
  }

  /** Waiting retries: a message may have been sent; of a call the last outcome becomes final. */
  private async giveUpRetries(lane: LaneSnapshot, done: FencedCopy): Promise<void> {
    for (;;) {
      const rows: WaitingRow[] = await this.dataSource.query(
        `SELECT t.seq, r.receiver AS number, r.status, t.attempt, r.attempts, t.last_status, r.error_code, r.error_message
         FROM recipient_retries t JOIN campaign_recipients r ON r.campaign_id = t.campaign_id AND r.seq = t.seq
         WHERE t.campaign_id = ? AND t.lane = ? ORDER BY t.seq LIMIT ${RECIPIENTS_A_STEP}`,
        [lane.campaignId, lane.lane],
      );
      if (rows.length === 0) return;
      const { Pending, Retrying } = RecipientStatus;
      const pending = rows
        .filter(({ status }) => status === Pending)
        .map(({ seq, number, attempt }): DueRecipient => ({ lane, seq, number, attempt }));
      const calls = rows.filter(({ status }) => status === Retrying).map((row) => lastStands(lane.campaignId, row));
      await this.settle(lane, pending, async (tx) => {
        await this.settlement.settle(tx, calls);
        await this.retries.drop(
          tx,
          rows.map(({ seq }) => ({ campaignId: lane.campaignId, seq })),
        );
      });
      done.mayHaveLeft += pending.length;
      done.callsEnded += calls.length;
    }
  }

  private async giveUpRange(lane: LaneSnapshot, done: FencedCopy): Promise<void> {
    for (let from = lane.nextSeq; ;) {
      const recipients = await pendingOf(this.dataSource, [{ lane, from, end: lane.endSeq }], {
        most: RECIPIENTS_A_STEP,
      });
      if (recipients.length > 0) await this.settle(lane, recipients);
      done.mayHaveLeft += recipients.length;
      if (recipients.length < RECIPIENTS_A_STEP) return;
      from = (recipients.at(-1)?.seq ?? from) + 1;
    }
  }

  /** Marks recipients as unknown because of this restore: a receipt, the deadline or an operator decides. */
  private async settle(
    lane: LaneSnapshot,
    recipients: DueRecipient[],
    besides?: (tx: EntityManager) => Promise<void>,
  ): Promise<void> {
    const isTriedAgain = this.channels.find(lane.channel)?.retryPlan !== undefined;
    await this.spend.counting([lane], (count) =>
      inTransaction(this.dataSource, async (tx) => {
        const spending = await withVariables(tx, recipients);
        const moves = await this.settlement.settle(
          tx,
          recipients.map((recipient) => mayHaveLeft(recipient, isTriedAgain ? 1 : recipient.attempt)),
        );
        await markUnknown(tx, recipients, true);
        await besides?.(tx);
        await count(tx, moves, () => spending);
      }),
    );
  }
}

const mayHaveLeft = ({ lane, seq }: DueRecipient, tries: number): RecipientChange => ({
  ...{ campaignId: lane.campaignId, seq, to: RecipientStatus.Unknown, errorCode: null, errorText: null },
  ...{ refund: false, attempted: true, tries },
});

const lastStands = (campaignId: number, { seq, ...row }: WaitingRow): RecipientChange => ({
  ...{ campaignId, seq, to: row.last_status ?? RecipientStatus.NoAnswer },
  ...{ errorCode: row.error_code, errorText: row.error_message, refund: false, attempted: false },
});
