import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { Gauge } from 'prom-client';
import { DataSource } from 'typeorm';
import { PeriodicTask } from '../../../platform/concurrency/index.js';
import { DutyGate } from '../../../platform/duties/index.js';
import { Metrics, safeError } from '../../../platform/observability/index.js';
import { RouteDirectory } from '../../providers/index.js';
import { Channels } from '../channels.js';
import { DueRoutes } from './due-routes.js';

const LOOK_EVERY_MS = 10_000;

/**
 * How long what is due has waited for a worker: what autoscaling goes by (docs/operate/sizing.md). Routes that are down, or let
 * nothing through, do not count; those with a pace have a label of their own, since no further worker makes them faster.
 */
@Injectable()
export class DueLanesMonitor implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(DueLanesMonitor.name);
  private readonly gauge: Gauge<'channel' | 'paced'>;
  private readonly due: DueRoutes;
  private readonly task = new PeriodicTask(
    LOOK_EVERY_MS,
    () => this.look(),
    (error) => this.logger.warn({ err: safeError(error) }, 'lanes that are due could not be looked at'),
  );

  constructor(
    @InjectDataSource() dataSource: DataSource,
    private readonly channels: Channels,
    private readonly routes: RouteDirectory,
    private readonly gate: DutyGate,
    metrics: Metrics,
  ) {
    this.due = new DueRoutes(dataSource);
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
    for (const { channel, routeId, waitedMs, isFree } of await this.due.first(this.channels.names)) {
      if (!isFree) continue;
      const paced = (await this.routes.byId(routeId))?.messagesPerSecond ? 'yes' : 'no';
      const seconds = Math.max(0, waitedMs / 1_000);
      const known = oldest.get(`${channel} ${paced}`)?.seconds ?? -1;
      if (seconds > known) oldest.set(`${channel} ${paced}`, { channel, paced, seconds });
    }
    if (oldest.size === 0) this.gauge.set({ channel: 'all', paced: 'no' }, 0);
    for (const { channel, paced, seconds } of oldest.values()) this.gauge.set({ channel, paced }, seconds);
  }
}
