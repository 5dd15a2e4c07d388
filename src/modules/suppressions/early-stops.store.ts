import { type BeforeApplicationShutdown, Inject, Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import type { SingleRun } from '../../platform/concurrency/index.js';
import { type Environment, ENVIRONMENT } from '../../platform/config/index.js';
import { again, inTransaction, jsonRows, type WriteResult } from '../../platform/database/index.js';
import { DueWatch } from '../../platform/periodic/index.js';
import { safeError } from '../../platform/observability/index.js';
import { SuppressionStore } from './suppressions.store.js';
import { NumberSenders } from '../campaigns/index.js';

const IS_ANY_EARLY = 'EXISTS (SELECT 1 FROM early_stops WHERE look_at <= UTC_TIMESTAMP(3))';

const MOST_AT_ONCE = 500;
const FIRST_CHECK_US = 500_000;
/** If a worker dies, another one takes its batch after the lease, and records what may have left. */
const LEASES = 4;

interface EarlyStop {
  routeId: number;
  number: string;
  isOver: boolean;
}

/**
 * Stop words without a known sender (`early_stops`): a message is recorded with its results, which a fast handset or a worker's
 * crash may precede. They wait as long as that record may take.
 */
@Injectable()
export class EarlyStops {
  private readonly patienceUs: number;

  constructor(
    @Inject(ENVIRONMENT) { LANE_LEASE }: Environment,
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly senders: NumberSenders,
    private readonly store: SuppressionStore,
  ) {
    this.patienceUs = LEASES * LANE_LEASE * 1_000;
  }

  /** @param numbers senders of STOP over the route, in key order */
  async keep(tx: EntityManager, routeId: number, numbers: readonly string[]): Promise<void> {
    if (numbers.length === 0) return;
    await tx.query(
      `INSERT INTO early_stops (route_id, number, said_at, look_at)
       SELECT ?, j.number, UTC_TIMESTAMP(3), UTC_TIMESTAMP(3) + INTERVAL ${FIRST_CHECK_US} MICROSECOND FROM JSON_TABLE(?, '$[*]' COLUMNS (
         number VARCHAR(160) CHARACTER SET ascii COLLATE ascii_bin PATH '$[0]')) j
       ON DUPLICATE KEY UPDATE said_at = VALUES(said_at), look_at = VALUES(look_at)`,
      [routeId, jsonRows(numbers.map((number) => [number]))],
    );
  }

  /** Removes a waiting stop after START. @returns whether there was one */
  async forget(tx: EntityManager, routeIds: readonly number[], number: string): Promise<boolean> {
    const { affectedRows } = await tx.query<WriteResult>(
      'DELETE FROM early_stops WHERE route_id IN (?) AND number = ?',
      [routeIds, number],
    );
    return affectedRows > 0;
  }

  /** Retries all due stop words once: applies those whose sender is known, deletes those that waited too long. */
  async poll(): Promise<void> {
    for (let due = await this.due(); ; due = await this.due()) {
      for (const routeId of new Set(due.map((stop) => stop.routeId))) {
        await this.obey(
          routeId,
          due.filter((stop) => stop.routeId === routeId),
        );
      }
      if (due.length < MOST_AT_ONCE) return;
    }
  }

  private async due(): Promise<EarlyStop[]> {
    const rows: (Omit<EarlyStop, 'isOver'> & { isOver: number })[] = await this.dataSource.query(
      `SELECT route_id AS routeId, number, said_at <= UTC_TIMESTAMP(3) - INTERVAL ? MICROSECOND AS isOver
       FROM early_stops WHERE look_at <= UTC_TIMESTAMP(3) ORDER BY look_at LIMIT ${MOST_AT_ONCE}`,
      [this.patienceUs],
    );
    return rows.map(({ isOver, ...stop }) => ({ ...stop, isOver: Number(isOver) === 1 }));
  }

  private async obey(routeId: number, stops: readonly EarlyStop[]): Promise<void> {
    const numbers = stops.map(({ number }) => number).sort();
    const senders = await this.senders.recordedFor(routeId, numbers);
    const over = new Set(stops.flatMap(({ number, isOver }) => (isOver ? [number] : [])));
    await inTransaction(this.dataSource, async (tx) => {
      for (const number of numbers) {
        const accountId = senders.get(number);
        if (accountId === undefined && !over.has(number)) continue;
        const waited = await this.forget(tx, [routeId], number);
        if (waited && accountId !== undefined) await this.store.stop(tx, accountId, routeId, number);
      }
    });
    const waiting = numbers.filter((number) => !senders.has(number) && !over.has(number));
    // Increasing intervals: most numbers without a sender by now never have one.
    if (waiting.length > 0)
      await this.dataSource.query(
        again(`UPDATE early_stops SET look_at = UTC_TIMESTAMP(3)
           + INTERVAL GREATEST(${FIRST_CHECK_US}, TIMESTAMPDIFF(MICROSECOND, said_at, UTC_TIMESTAMP(3)) DIV 2) MICROSECOND
         WHERE route_id = ? AND number IN (?)`),
        [routeId, waiting],
      );
  }
}

/** In the worker: retries early stop words; one process does so for all. */
@Injectable()
export class EarlyStopSweeper implements BeforeApplicationShutdown {
  private readonly logger = new Logger(EarlyStopSweeper.name);
  private readonly polls: SingleRun;

  constructor(watch: DueWatch, stops: EarlyStops) {
    this.polls = watch.register({
      name: 'early-stops',
      isDue: IS_ANY_EARLY,
      work: () => stops.poll(),
      onFault: (error) => this.logger.warn({ err: safeError(error) }, 'early stop words wait, trying again'),
    });
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.polls.stop();
  }
}
