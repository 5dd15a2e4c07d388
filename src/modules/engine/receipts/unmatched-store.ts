import { Injectable } from '@nestjs/common';
import type { DataSource, EntityManager } from 'typeorm';
import { newId } from '../../../kernel/ids.js';
import { again, type WriteResult } from '../../../platform/database/index.js';
import type { Receipt } from '../../providers/index.js';
import type { RoutedReceipt } from './receipt-lookup.js';

/** A receipt that has found no message yet. */
export interface UnmatchedReceipt extends RoutedReceipt {
  id: number;
  receivedAt: Date;
  ageMs: number;
}

/** Where a scan of the unmatched receipts stands: behind this one. */
export type ScanPosition = Pick<UnmatchedReceipt, 'receivedAt' | 'id'>;

const ROWS_A_STEP = 5_000;

/** SQL: some receipt that came within so many milliseconds has no message yet. */
export const isAnyUnmatched = (sinceMs: number): string =>
  `EXISTS (SELECT 1 FROM parked_receipts WHERE received_at >= UTC_TIMESTAMP(3) - INTERVAL ${sinceMs * 1000} MICROSECOND)`;

/** Receipts that came before their submit answer was written, or that belong to no message (table `parked_receipts`). */
@Injectable()
export class UnmatchedStore {
  async keep(tx: EntityManager, receipts: readonly RoutedReceipt[]): Promise<void> {
    if (receipts.length === 0) return;
    await tx.query(
      `INSERT INTO parked_receipts (id, route_id, provider_message_id, receipt, received_at)
       VALUES ${receipts.map(() => '(?,?,?,?,UTC_TIMESTAMP(3))').join(',')}`,
      receipts.flatMap(({ routeId, receipt }) => [
        newId(),
        routeId,
        receipt.providerMessageId,
        JSON.stringify(receipt),
      ]),
    );
  }

  /**
   * In the order in which they came; locked, so that two workers never adopt one receipt twice.
   * @param sinceMs only what came within this time; null = all
   * @param after the last one of the batch before; null = from the oldest
   */
  async page(
    tx: EntityManager,
    sinceMs: number | null,
    after: ScanPosition | null,
    limit: number,
  ): Promise<UnmatchedReceipt[]> {
    const { receivedAt, id } = after ?? { receivedAt: new Date(0), id: 0 };
    const [since, values] =
      sinceMs === null
        ? ['', []]
        : ['AND received_at >= UTC_TIMESTAMP(3) - INTERVAL ? MICROSECOND', [Math.round(sinceMs * 1000)]];
    const rows: { id: number; route_id: number; receipt: string; received_at: Date; age_us: number }[] = await tx.query(
      `SELECT id, route_id, receipt, received_at, TIMESTAMPDIFF(MICROSECOND, received_at, UTC_TIMESTAMP(3)) AS age_us
       FROM parked_receipts FORCE INDEX (ix_parked_receipts_received)
       WHERE received_at >= ? AND (received_at > ? OR id > ?) ${since}
       ORDER BY received_at, id LIMIT ? FOR UPDATE SKIP LOCKED`,
      [receivedAt, receivedAt, id, ...values, limit],
    );
    return rows.map((row) => ({
      id: row.id,
      routeId: row.route_id,
      receipt: JSON.parse(row.receipt) as Receipt,
      receivedAt: row.received_at,
      ageMs: Number(row.age_us) / 1000,
    }));
  }

  async remove(tx: EntityManager, ids: readonly number[]): Promise<void> {
    if (ids.length > 0) await tx.query('DELETE FROM parked_receipts WHERE id IN (?)', [ids]);
  }

  /** Removes what came longer ago. @param isStopped asked between two steps */
  async removeOlder(source: DataSource, ageMs: number, isStopped: () => boolean): Promise<void> {
    do {
      const { affectedRows }: WriteResult = await source.query(
        again(`DELETE FROM parked_receipts WHERE received_at < UTC_TIMESTAMP(3) - INTERVAL ? MICROSECOND
          ORDER BY received_at LIMIT ${ROWS_A_STEP}`),
        [Math.round(ageMs * 1000)],
      );
      if (affectedRows < ROWS_A_STEP) return;
    } while (!isStopped());
  }

  /**
   * How many have found no message for longer than this, by route.
   * @param most counted, the latest: what is beyond says nothing new
   */
  async countByRoute(source: DataSource, olderThanMs: number, most: number): Promise<Map<number, number>> {
    const rows: { route_id: number; receipts: string }[] = await source.query(
      `SELECT route_id, COUNT(*) AS receipts FROM (
         SELECT route_id FROM parked_receipts FORCE INDEX (ix_parked_receipts_received)
         WHERE received_at <= UTC_TIMESTAMP(3) - INTERVAL ? MICROSECOND ORDER BY received_at DESC LIMIT ?) latest GROUP BY route_id`,
      [olderThanMs * 1000, most],
    );
    return new Map(rows.map((row) => [row.route_id, Number(row.receipts)]));
  }
}
