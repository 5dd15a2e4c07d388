import { Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { Gauge } from 'prom-client';
import { DataSource } from 'typeorm';
import { Metrics } from '../../../platform/observability/index.js';
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
  private lookedAt = -Infinity;
  private warnedAt = -Infinity;

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly store: UnmatchedStore,
    private readonly routes: RouteDirectory,
    metrics: Metrics,
  ) {
    this.gauge = metrics.gauge(
      'switchboard_unmatched_receipts',
      `Receipts older than a minute that belong to no message, by route (of the latest ${MOST_COUNTED})`,
      ['route'],
    );
  }

  /** Looks, at most once a minute, and warns, at most once in ten. */
  async look(): Promise<void> {
    const at = performance.now();
    if (at - this.lookedAt < LOOK_EVERY_MS) return;
    this.lookedAt = at;
    const counts = await this.store.countByRoute(this.dataSource, UNMATCHED_AFTER_MS, MOST_COUNTED);
    const named = await Promise.all(
      [...counts].map(async ([id, receipts]): Promise<[string, number]> => [
        (await this.routes.byId(id))?.name ?? String(id),
        receipts,
      ]),
    );
    this.gauge.reset();
    for (const [route, receipts] of named) this.gauge.set({ route }, receipts);
    if (named.length === 0 || at - this.warnedAt < WARN_EVERY_MS) return;
    this.warnedAt = at;
    this.logger.warn({ receipts: Object.fromEntries(named) }, 'receipts older than a minute belong to no message');
  }
}
