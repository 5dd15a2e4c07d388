import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { Gauge } from 'prom-client';
import { DataSource } from 'typeorm';
import { PeriodicTask } from '../../../platform/concurrency/index.js';
import { DutyGate } from '../../../platform/duties/index.js';
import { Metrics, safeError } from '../../../platform/observability/index.js';
import { RouteDirectory } from '../../providers/index.js';

const LOOK_EVERY_MS = 10_000;
const MOST_ROUTES = 1_000;

interface DueRow {
  channel: string;
  route_id: number;
  waited_us: string;
}

/**
 * How long what is due has waited for a worker: what autoscaling goes by (docs/scaling.md). Routes that are down, or let
 * nothing through, do not count; those with a pace have a label of their own, since no further worker makes them faster.
 */
@Injectable()
export class DueLanesMonitor implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(DueLanesMonitor.name);
  private readonly gauge: Gauge<'channel' | 'paced'>;
  private readonly task = new PeriodicTask(
    LOOK_EVERY_MS,
    () => this.look(),
    (error) => this.logger.warn({ err: safeError(error) }, 'lanes that are due could not be looked at'),
  );

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly routes: RouteDirectory,
    private readonly gate: DutyGate,
    metrics: Metrics,
  ) {
    this.gauge = metrics.gauge(
      'switchboard_oldest_due_lane_seconds',
      'How long the oldest lane has been due that no worker holds, of routes that let something through',
      ['channel', 'paced'],
    );
  }

  onApplicationBootstrap(): void {
    this.task.start();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.task.stop();
  }

  /** One process for all. The gauge of the others has no figure then, so that the highest of all processes is right. */
  async look(): Promise<void> {
    this.gauge.reset();
    if (!(await this.gate.isMine('oldest-due-lane', LOOK_EVERY_MS))) return;
    const oldest = new Map<string, { channel: string; paced: string; seconds: number }>();
    for (const { channel, route_id: routeId, waited_us: waited } of await this.due()) {
      const paced = (await this.routes.byId(routeId))?.messagesPerSecond ? 'yes' : 'no';
      const seconds = Math.max(0, Number(waited) / 1e6);
      const known = oldest.get(`${channel} ${paced}`)?.seconds ?? -1;
      if (seconds > known) oldest.set(`${channel} ${paced}`, { channel, paced, seconds });
    }
    if (oldest.size === 0) this.gauge.set({ channel: 'all', paced: 'no' }, 0);
    for (const { channel, paced, seconds } of oldest.values()) this.gauge.set({ channel, paced }, seconds);
  }

  /** One step in the index for each route that has lanes, one more for each that is due. */
  private due(): Promise<DueRow[]> {
    return this.dataSource.query(
      `SELECT d.channel, d.route_id, TIMESTAMPDIFF(MICROSECOND, d.first, UTC_TIMESTAMP(3)) AS waited_us FROM (
         SELECT channel, route_id, single, MIN(wake_at) AS first FROM campaign_lanes FORCE INDEX (ix_campaign_lanes_route)
         GROUP BY channel, route_id, single HAVING first <= UTC_TIMESTAMP(3)) d
       WHERE NOT EXISTS (SELECT 1 FROM campaign_lanes l WHERE l.channel = d.channel AND l.route_id = d.route_id
         AND l.single = d.single AND l.wake_at = d.first AND (l.stalled_since IS NOT NULL OR l.lease_until > UTC_TIMESTAMP(3)))
       ORDER BY d.first LIMIT ${MOST_ROUTES}`,
    );
  }
}
