import { Injectable, Logger } from '@nestjs/common';
import type { Gauge } from 'prom-client';
import type { DataSource, EntityManager } from 'typeorm';
import { newId } from '../../../kernel/ids.js';
import { PeriodicTask } from '../../../platform/concurrency/index.js';
import { again, type WriteResult } from '../../../platform/database/index.js';
import { LeaderGate } from '../../../platform/periodic/index.js';
import { Metrics, safeError } from '../../../platform/observability/index.js';
import { type Receipt, RouteDirectory } from '../../providers/index.js';
import { RouteQueues } from '../state/route-queues.js';
import type { RoutedReceipt } from './receipt-lookup.js';

export interface UnmatchedReceipt extends RoutedReceipt {
  id: number;
  receivedAt: Date;
  ageMs: number;
}

export type ScanPosition = Pick<UnmatchedReceipt, 'receivedAt' | 'id'>;

const ROWS_A_STEP = 5_000;

/** SQL: whether an unmatched receipt is younger than this; null = whether there is one. */
export const isAnyUnmatched = (sinceMs: number | null): string => {
  const since =
    sinceMs === null ? '' : `WHERE received_at >= UTC_TIMESTAMP(3) - INTERVAL ${sinceMs * 1000} MICROSECOND`;
  return `EXISTS (SELECT 1 FROM parked_receipts ${since})`;
};

/** Receipts that came before their submit answer, or belong to no message (table `parked_receipts`). */
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

  /** Oldest first; locked, so that two workers never match one receipt twice. @param sinceMs maximum age; null = all */
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
}

const POLL_EVERY_MS = 60_000;
const WARN_EVERY_MS = 600_000;
const UNMATCHED_AFTER_MS = 60_000;
const MOST_COUNTED = 100_000;

/** Reports unmatched receipts to operators: a login shared with another system, or an unknown id format. */
@Injectable()
export class UnmatchedReceiptsMonitor {
  private readonly logger = new Logger(UnmatchedReceiptsMonitor.name);
  private readonly gauge: Gauge<'route'>;
  private warnedAt = -Infinity;
  private readonly task = new PeriodicTask(
    POLL_EVERY_MS,
    () => this.poll(),
    (error) => this.logger.warn({ err: safeError(error) }, 'unmatched receipts could not be counted'),
  );

  constructor(
    private readonly queues: RouteQueues,
    private readonly routes: RouteDirectory,
    private readonly gate: LeaderGate,
    metrics: Metrics,
  ) {
    this.gauge = metrics.gauge(
      'switchboard_unmatched_receipts',
      `Receipts older than a minute that belong to no message, by route (of the latest ${MOST_COUNTED})`,
      ['route'],
    );
  }

  start(): void {
    this.task.start();
  }

  stop(): Promise<void> {
    return this.task.stop();
  }

  /** One process counts for all and warns at most every ten minutes; the others report no value, so that the sum is right. */
  async poll(): Promise<void> {
    this.gauge.reset();
    if (!(await this.gate.isMine('unmatched-count', POLL_EVERY_MS))) return;
    const counts = await this.queues.unmatchedReceipts(UNMATCHED_AFTER_MS, MOST_COUNTED);
    const named = await Promise.all(
      [...counts].map(async ([id, receipts]): Promise<[string, number]> => [
        (await this.routes.byId(id))?.name ?? String(id),
        receipts,
      ]),
    );
    for (const [route, receipts] of named) this.gauge.set({ route }, receipts);
    if (named.length === 0 || performance.now() - this.warnedAt < WARN_EVERY_MS) return;
    this.warnedAt = performance.now();
    if (!(await this.gate.isMine('unmatched-warning', WARN_EVERY_MS))) return;
    this.logger.warn({ receipts: Object.fromEntries(named) }, 'receipts older than a minute belong to no message');
  }
}
