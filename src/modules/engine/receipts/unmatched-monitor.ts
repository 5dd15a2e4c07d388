import { Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { Gauge } from 'prom-client';
import { DataSource } from 'typeorm';
import { PeriodicTask } from '../../../platform/concurrency/index.js';
import { DutyGate } from '../../../platform/duties/index.js';
import { Metrics, safeError } from '../../../platform/observability/index.js';
import { RouteDirectory } from '../../providers/index.js';
import { UnmatchedStore } from './unmatched-store.js';

const LOOK_EVERY_MS = 60_000;
const WARN_EVERY_MS = 600_000;
const UNMATCHED_AFTER_MS = 60_000;
const MOST_COUNTED = 100_000;

/** Reports receipts without a message to operators: a login shared with another system, or ids of another dialect. */
@Injectable()
export class UnmatchedReceiptsMonitor {
  private readonly logger = new Logger(UnmatchedReceiptsMonitor.name);
  private readonly gauge: Gauge<'route'>;
  private warnedAt = -Infinity;
  private readonly task = new PeriodicTask(
    LOOK_EVERY_MS,
    () => this.look(),
    (error) => this.logger.warn({ err: safeError(error) }, 'unmatched receipts could not be counted'),
  );

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly store: UnmatchedStore,
    private readonly routes: RouteDirectory,
    private readonly gate: DutyGate,
    metrics: Metrics,
  ) {
    this.gauge = metrics.gauge(
      'switchboard_unmatched_receipts',
      `Receipts older than a minute that belong to no message, by route (of the latest ${MOST_COUNTED})`,
      ['route'],
    );
  }

  /** From now on it looks once a minute. */
  start(): void {
    this.task.start();
  }

  stop(): Promise<void> {
    return this.task.stop();
  }

  /**
   * Counts, and warns, at most once in ten minutes: one process for all. The gauge of the others has no figure then, so
   * that the sum over all processes is right.
   */
  async look(): Promise<void> {
    this.gauge.reset();
    if (!(await this.gate.isMine('unmatched-count', LOOK_EVERY_MS))) return;
    const counts = await this.store.countByRoute(this.dataSource, UNMATCHED_AFTER_MS, MOST_COUNTED);
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
