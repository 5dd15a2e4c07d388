import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { PeriodicTask } from '../../platform/concurrency/index.js';
import { LeaderGate } from '../../platform/periodic/index.js';
import { Metrics, safeError } from '../../platform/observability/index.js';
import { Channels, RouteQueues } from '../engine/index.js';
import { RouteDirectory, RouteStandings, SHOWN_HEALTHS } from '../providers/index.js';
import { WebhookBacklog } from '../webhooks/index.js';
import { LastBackup } from './alarms.store.js';

const POLL_EVERY_MS = 15_000;
/** Limit of counted lanes of a route, which bounds the cost. */
const MOST_LANES = 1_000;

/** Metrics from the database, measured by one process every 15 s. Others reset their gauges, so that sums stay right. */
@Injectable()
export class StateMetrics implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(StateMetrics.name);
  private readonly gauges;
  private readonly task = new PeriodicTask(
    POLL_EVERY_MS,
    () => this.poll(),
    (error) => this.logger.warn({ err: safeError(error) }, 'the state of routes and webhooks could not be measured'),
    0.1,
  );

  constructor(
    private readonly routes: RouteDirectory,
    private readonly standings: RouteStandings,
    private readonly queues: RouteQueues,
    private readonly channels: Channels,
    private readonly webhooks: WebhookBacklog,
    private readonly backup: LastBackup,
    private readonly gate: LeaderGate,
    metrics: Metrics,
  ) {
    const route = ['route', 'channel'] as const;
    this.gauges = {
      state: metrics.gauge('switchboard_route_state', '1 for the state that a route is in, 0 for the others', [
        ...route,
        'state',
      ]),
      binds: metrics.gauge('switchboard_route_binds', 'Sessions of routes with `binds`: wanted, and bound', [
        ...route,
        'state',
      ]),
      lanes: metrics.gauge('switchboard_due_lanes', `Lanes that are due, by route (${MOST_LANES} at the most)`, [
        ...route,
      ]),
      oldest: metrics.gauge('switchboard_oldest_due_seconds', 'How long the oldest lane of a route has been due', [
        ...route,
      ]),
      backlog: metrics.gauge(
        'switchboard_webhook_backlog_deliveries',
        'Events that wait for webhooks (10,000 at the most)',
      ),
      webhookAge: metrics.gauge('switchboard_webhook_oldest_due_seconds', 'How long the oldest webhook has been due'),
      backupAge: metrics.gauge('switchboard_backup_age_seconds', 'Since a copy of the database was made last'),
      failing: metrics.gauge('switchboard_webhook_failing_endpoints', 'Active webhooks whose last delivery failed'),
    };
    this.forget();
  }

  onApplicationBootstrap(): void {
    this.task.start();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.task.stop();
  }

  async measure(): Promise<void> {
    this.forget();
    await this.measureRoutes();
    const { deliveries, oldestSeconds, failing } = await this.webhooks.read();
    this.gauges.backlog.set(deliveries);
    this.gauges.webhookAge.set(oldestSeconds);
    this.gauges.failing.set(failing);
    const backupAge = await this.backup.ageSeconds();
    if (backupAge !== null) this.gauges.backupAge.set(backupAge);
  }

  private async poll(): Promise<void> {
    if (await this.gate.isMine('state-metrics', POLL_EVERY_MS)) await this.measure();
    else this.forget();
  }

  private forget(): void {
    for (const gauge of Object.values(this.gauges)) gauge.reset();
    // 0 would mean that a backup was just made
    this.gauges.backupAge.remove();
  }

  private async measureRoutes(): Promise<void> {
    const { of, slots } = await this.standings.read();
    const labels = new Map<number, { route: string; channel: string }>();
    for (const { id, name, channel, binds, stopped } of await this.routes.list()) {
      const own = { route: name, channel };
      labels.set(id, own);
      const health = stopped ? 'stopped' : (of.get(id)?.health ?? 'unknown');
      for (const state of SHOWN_HEALTHS) this.gauges.state.set({ ...own, state }, health === state ? 1 : 0);
      if (binds === null) continue;
      this.gauges.binds.set({ ...own, state: 'wanted' }, binds);
      const bound = (slots.get(id) ?? []).filter((slot) => slot.bound && !slot.isFree).length;
      this.gauges.binds.set({ ...own, state: 'bound' }, bound);
    }
    const oldest = new Map<number, { channel: string; seconds: number }>();
    for (const { routeId, channel, waitedMs } of await this.queues.oldestDue(this.channels.names)) {
      const seconds = Math.max(waitedMs / 1000, oldest.get(routeId)?.seconds ?? 0);
      if (labels.has(routeId)) oldest.set(routeId, { channel, seconds });
    }
    for (const [id, { channel, seconds }] of oldest) {
      const own = labels.get(id) as { route: string; channel: string };
      this.gauges.oldest.set(own, seconds);
      this.gauges.lanes.set(own, await this.queues.countDue(channel, id, MOST_LANES));
    }
  }
}
