import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { again, inTransaction, jsonRows, takeDue } from '../../../platform/database/index.js';
import { inLockOrder, keyOf, RecipientStatus } from '../recipient.js';
import { unknownByRestore } from '../restore/restored-campaigns.js';
import { readFirst } from '../settle/status-writer.js';
import type { KnownRecipient } from '../settle/recipient-change.js';
import { Settlement } from '../settle/settlement.js';

const RECIPIENTS_A_STEP = 2_000;
const CAMPAIGNS_A_STEP = 500;
const CHECK_AGAIN_MS = 60_000;
/** Rows per statement (plus one campaign): the query has no index, and a longer one would time out. */
const ROWS_A_CHECK = 250_000;
/** A query reads the campaign's whole range, so queries are at least 1/100 of the timeout apart (43 minutes of 72 hours). */
const CHECKS_A_TIMEOUT = 100;

/** SQL: whether a campaign's check is due. */
export const IS_ANY_OVERDUE = 'EXISTS (SELECT 1 FROM campaigns WHERE overdue_check_at <= UTC_TIMESTAMP(3))';

interface DueCampaign {
  id: number;
  total_rows: number;
}

interface WaitingRow extends KnownRecipient {
  campaign_id: number;
  seq: number;
  /** microseconds until the deadline; ≤ 0 = overdue */
  left_us: string;
}

interface UnknownRow extends Pick<WaitingRow, 'campaign_id' | 'seq'> {
  created_at: Date;
  is_waiting: number | string;
}

/** Fails recipients without a receipt by the deadline: FAILED `No delivery receipt` (reference/engine#receipt-deadline). */
@Injectable()
export class OverdueReceipts {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly settlement: Settlement,
  ) {}

  /** Fails overdue recipients of all due campaigns. @param isStopped checked between transactions */
  async round(receiptTimeoutMs: number, isStopped: () => boolean = () => false): Promise<void> {
    for (let full = true; full && !isStopped();) {
      const campaigns = await this.take();
      for (const ids of checksOf(campaigns)) if (!isStopped()) await this.sweep(ids, receiptTimeoutMs);
      full = campaigns.length === CAMPAIGNS_A_STEP;
    }
  }

  /** Takes due campaigns; their next check is in a minute, in case this worker dies. */
  private take(): Promise<DueCampaign[]> {
    return takeDue<DueCampaign>(this.dataSource, {
      table: 'campaigns',
      key: ['id'],
      columns: ['total_rows'],
      due: 'overdue_check_at',
      most: CAMPAIGNS_A_STEP,
      againAfterMs: CHECK_AGAIN_MS,
    });
  }

  /** Fails overdue recipients of these campaigns and schedules the next check. */
  async sweep(campaigns: readonly number[], receiptTimeoutMs: number): Promise<void> {
    const timeoutUs = Math.round(receiptTimeoutMs * 1000);
    const next = new Map(campaigns.map((id) => [id, timeoutUs]));
    for await (const rows of this.waiting(
      [...campaigns].sort((a, b) => a - b),
      timeoutUs,
    )) {
      const overdue = rows.filter(({ left_us: left }) => Number(left) <= 0);
      if (overdue.length > 0) {
        const read = new Map(overdue.map((row) => [keyOf(recipientKeyOf(row)), row]));
        const restored = await unknownByRestore(
          this.dataSource,
          overdue.filter(({ status }) => status === RecipientStatus.Unknown).map(recipientKeyOf),
        );
        const changes = overdue.map((row) => failed(row, restored.has(keyOf(recipientKeyOf(row)))));
        await readFirst(this.dataSource, (tx, locking) =>
          this.settlement.settle(tx, changes, locking ? undefined : read),
        );
      }
      for (const { campaign_id: id, left_us: left } of rows) {
        if (Number(left) > 0) next.set(id, Math.min(next.get(id) ?? timeoutUs, Number(left)));
      }
    }
    await inTransaction(this.dataSource, (tx) => this.planNext(tx, next, timeoutUs / CHECKS_A_TIMEOUT));
  }

  /**
   * Removes recipients from the list of unknown outcomes after twice the deadline. Waiting ones stay, since the refund at the
   * deadline depends on the list.
   */
  async forgetUnknown(receiptTimeoutMs: number, isStopped: () => boolean = () => false): Promise<void> {
    const isOld = 'u.created_at <= UTC_TIMESTAMP(3) - INTERVAL ? MICROSECOND';
    const ageUs = Math.round(2 * receiptTimeoutMs * 1000);
    let after: UnknownRow | undefined = { campaign_id: 0, seq: 0, created_at: new Date(0), is_waiting: 0 };
    while (after && !isStopped()) {
      const { created_at: at, campaign_id: campaignId, seq } = after;
      const rows: UnknownRow[] = await this.dataSource.query(
        `SELECT u.campaign_id, u.seq, u.created_at, COALESCE(r.status IN (?), 0) AS is_waiting
         FROM unknown_outcomes u FORCE INDEX (ix_unknown_outcomes_created)
         LEFT JOIN campaign_recipients r ON r.campaign_id = u.campaign_id AND r.seq = u.seq
         WHERE ${isOld} AND u.created_at >= ?
           AND (u.created_at > ? OR u.campaign_id > ? OR u.campaign_id = ? AND u.seq > ?)
         ORDER BY u.created_at, u.campaign_id, u.seq LIMIT ?`,
        [WAITING, ageUs, at, at, campaignId, campaignId, seq, RECIPIENTS_A_STEP],
      );
      const over = rows.filter(({ is_waiting: isWaiting }) => Number(isWaiting) === 0).map(recipientKeyOf);
      if (over.length > 0) {
        await this.dataSource.query(
          again(`DELETE u FROM JSON_TABLE(?, '$[*]' COLUMNS (campaign_id BIGINT PATH '$[0]', seq INT PATH '$[1]')) j
             STRAIGHT_JOIN unknown_outcomes u FORCE INDEX (PRIMARY) ON u.campaign_id = j.campaign_id AND u.seq = j.seq
           WHERE ${isOld}`),
          [jsonRows(over.sort(inLockOrder).map((key) => [key.campaignId, key.seq])), ageUs],
        );
      }
      after = rows.length === RECIPIENTS_A_STEP ? rows.at(-1) : undefined;
    }
  }

  private async *waiting(
    campaigns: readonly number[],
    timeoutUs: number,
  ): AsyncGenerator<WaitingRow[], void, undefined> {
    let after = { campaign_id: 0, seq: 0 };
    for (;;) {
      const { campaign_id: campaignId } = after;
      const later = campaigns.filter((id) => id > campaignId);
      const rows: WaitingRow[] = await this.dataSource.query(
        `SELECT campaign_id, seq, receiver AS number, status, attempts, TIMESTAMPDIFF(MICROSECOND, UTC_TIMESTAMP(3), updated_at) + ? AS left_us
         FROM campaign_recipients WHERE (campaign_id = ? AND seq > ? OR campaign_id IN (?)) AND status IN (?)
         ORDER BY campaign_id, seq LIMIT ?`,
        [timeoutUs, campaignId, after.seq, later.length > 0 ? later : [0], WAITING, RECIPIENTS_A_STEP],
      );
      if (rows.length > 0) yield rows;
      const last = rows.at(-1);
      if (!last || rows.length < RECIPIENTS_A_STEP) return;
      after = last;
    }
  }

  private async planNext(tx: EntityManager, next: ReadonlyMap<number, number>, leastUs: number): Promise<void> {
    await tx.query(
      `UPDATE JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT PATH '$[0]', left_us BIGINT PATH '$[1]')) j
         STRAIGHT_JOIN campaigns c FORCE INDEX (PRIMARY) ON c.id = j.id
       SET c.overdue_check_at = UTC_TIMESTAMP(3) + INTERVAL j.left_us MICROSECOND WHERE c.open_lanes > 0`,
      [jsonRows([...next].sort((a, b) => a[0] - b[0]).map(([id, left]) => [id, Math.round(Math.max(left, leastUs))]))],
    );
  }
}

function checksOf(campaigns: readonly DueCampaign[]): number[][] {
  const found: number[][] = [];
  let room = 0;
  for (const { id, total_rows: rows } of campaigns) {
    if (rows > room) {
      found.push([]);
      room = ROWS_A_CHECK;
    }
    found.at(-1)?.push(id);
    room -= rows;
  }
  return found;
}

const WAITING = [RecipientStatus.Submitted, RecipientStatus.Unknown];

const recipientKeyOf = ({ campaign_id: campaignId, seq }: Pick<WaitingRow, 'campaign_id' | 'seq'>) => ({
  campaignId,
  seq,
});

const failed = ({ campaign_id: campaignId, seq }: WaitingRow, refund: boolean) => ({
  campaignId,
  seq,
  to: RecipientStatus.Failed,
  errorCode: null,
  errorText: 'No delivery receipt',
  refund,
  attempted: false,
  isOverdue: true,
});
