import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { inTransaction } from '../../../platform/database/index.js';
import { RecipientStatus } from '../domain/recipient-status.js';
import { Settlement } from '../persistence/settlement.js';

const BATCH = 2_000;
const CAMPAIGNS_A_ROUND = 20;
/** A look reads the campaign's whole range, so they keep a hundredth of the time-out apart (43 minutes of 72 hours). */
const LOOKS_A_TIMEOUT = 100;

/** No receipt by the deadline: FAILED `No delivery receipt`, so that nobody stays in limbo (decisions §6). */
@Injectable()
export class OverdueReceipts {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly settlement: Settlement,
  ) {}

  /** Campaigns whose earliest deadline has come; looked at again in a minute in case this worker dies meanwhile. */
  async take(tx: EntityManager): Promise<number[]> {
    const rows: { id: number }[] = await tx.query(
      `SELECT id FROM campaigns WHERE overdue_check_at <= UTC_TIMESTAMP(3) ORDER BY overdue_check_at
       LIMIT ${CAMPAIGNS_A_ROUND} FOR UPDATE SKIP LOCKED`,
    );
    const ids = rows.map((row) => row.id);
    if (ids.length > 0) {
      await tx.query('UPDATE campaigns SET overdue_check_at = UTC_TIMESTAMP(3) + INTERVAL 1 MINUTE WHERE id IN (?)', [
        ids,
      ]);
    }
    return ids;
  }

  /** Fails what is overdue in bounded steps and sets the next look to the earliest deadline that is left. */
  async sweep(campaignId: number, receiptTimeoutMs: number): Promise<void> {
    for (let afterSeq = 0; ;) {
      const rows: { seq: number; overdue: number }[] = await this.dataSource.query(
        `SELECT seq, updated_at <= UTC_TIMESTAMP(3) - INTERVAL ? MICROSECOND AS overdue FROM campaign_recipients
         WHERE campaign_id = ? AND seq > ? AND status IN (?) ORDER BY seq LIMIT ?`,
        [receiptTimeoutMs * 1000, campaignId, afterSeq, WAITING, BATCH],
      );
      const overdue = rows.filter((row) => Number(row.overdue) === 1);
      await inTransaction(this.dataSource, (tx) =>
        this.settlement.settle(
          tx,
          overdue.map(({ seq }) => ({
            campaignId,
            seq,
            to: RecipientStatus.Failed,
            errorCode: null,
            errorText: 'No delivery receipt',
            refund: false,
            attempted: false,
          })),
        ),
      );
      const last = rows.at(-1);
      if (!last || rows.length < BATCH) break;
      afterSeq = last.seq;
    }
    // Read without locks, then written: one statement for both would lock the campaign before its recipients.
    const [next] = await this.dataSource.query<{ look_at: Date }[]>(
      `SELECT GREATEST(COALESCE(MIN(updated_at), UTC_TIMESTAMP(3)) + INTERVAL ? MICROSECOND,
         UTC_TIMESTAMP(3) + INTERVAL ? MICROSECOND) AS look_at
       FROM campaign_recipients WHERE campaign_id = ? AND status IN (?)`,
      [receiptTimeoutMs * 1000, (receiptTimeoutMs * 1000) / LOOKS_A_TIMEOUT, campaignId, WAITING],
    );
    await inTransaction(this.dataSource, async (tx) => {
      await tx.query('UPDATE campaigns SET overdue_check_at = ? WHERE id = ? AND unsettled > 0', [
        next?.look_at,
        campaignId,
      ]);
      await tx.query(
        'DELETE FROM unknown_outcomes WHERE campaign_id = ? AND created_at <= UTC_TIMESTAMP(3) - INTERVAL ? MICROSECOND',
        [campaignId, receiptTimeoutMs * 2_000],
      );
    });
  }
}

const WAITING = [RecipientStatus.Submitted, RecipientStatus.Unknown];
