import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { Counter, Gauge } from 'prom-client';
import { DataSource } from 'typeorm';
import { PeriodicTask } from '../../../platform/concurrency/index.js';
import { LeaderGate } from '../../../platform/periodic/index.js';
import { Metrics, safeError, type Span, type Tracing, TRACING } from '../../../platform/observability/index.js';
import { isTestRoute, RouteDirectory } from '../../providers/index.js';
import { Channels } from '../channels.js';
import type { BatchResult } from '../settle/recipient-change.js';
import { CampaignTraces } from '../state/campaign-briefs.js';
import type { LaneClaim } from '../state/lane-claims.js';
import { DueRoutes } from '../state/due-routes.js';

const POLL_EVERY_MS = 10_000;

/**
 * Seconds that due lanes of working routes have waited, for autoscaling (docs/operate/sizing.md). Paced routes have their own
 * label, since more workers do not speed them up.
 */
@Injectable()
export class DueLanesMonitor implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(DueLanesMonitor.name);
  private readonly gauge: Gauge<'channel' | 'paced'>;
  private readonly due: DueRoutes;
  private readonly task = new PeriodicTask(
    POLL_EVERY_MS,
    () => this.poll(),
    (error) => this.logger.warn({ err: safeError(error) }, 'due lanes could not be read'),
  );

  constructor(
    @InjectDataSource() dataSource: DataSource,
    private readonly channels: Channels,
    private readonly routes: RouteDirectory,
    private readonly gate: LeaderGate,
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

  /** One process reports for all; the others have no value, so that the maximum over processes is right. */
  async poll(): Promise<void> {
    this.gauge.reset();
    if (!(await this.gate.isMine('oldest-due-lane', POLL_EVERY_MS))) return;
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

/** Carriers invent codes, so the number of labels per process is limited. */
const MOST_CODES = 60;
const MOST_ROUTES = 500;
const OTHER = 'other';

/** Prometheus counter of send outcomes by route and code; accepted ones have the code `none`. */
class OutcomeCodes {
  private readonly counter: Counter<'route' | 'channel' | 'outcome' | 'code'>;
  private readonly codes = new Set<string>();
  private readonly routes = new Set<string>();

  constructor(metrics: Metrics) {
    this.counter = metrics.counter(
      'switchboard_send_outcomes_total',
      'Answers to sends, by the code of the carrier (`other` beyond the first 60 codes)',
      ['route', 'channel', 'outcome', 'code'],
    );
  }

  count(route: string, channel: string, results: readonly BatchResult[]): void {
    const counts = new Map<string, { outcome: string; code: string; times: number }>();
    for (const { outcome } of results) {
      const code = 'code' in outcome && outcome.code !== null ? String(outcome.code) : 'none';
      const key = `${outcome.kind} ${code}`;
      const known = counts.get(key);
      if (known) known.times += 1;
      else counts.set(key, { outcome: outcome.kind, code, times: 1 });
    }
    const label = bounded(this.routes, route, MOST_ROUTES);
    for (const { outcome, code, times } of counts.values()) {
      this.counter.inc({ route: label, channel, outcome, code: bounded(this.codes, code, MOST_CODES) }, times);
    }
  }
}

function bounded(known: Set<string>, value: string, most: number): string {
  if (known.has(value)) return value;
  if (known.size >= most) return OTHER;
  known.add(value);
  return value;
}

interface Leaving {
  channel: { name: string };
  route: { id: number; name: string };
}

/** Spans of one batch: one per campaign, with counts only. */
class BatchSpans {
  private readonly outcomes = new Map<number, Map<string, number>>();

  constructor(private readonly spans: ReadonlyMap<number, Span>) {}

  count(results: readonly BatchResult[]): void {
    for (const { recipient, outcome } of results) {
      const { campaignId } = recipient.lane;
      if (!this.spans.has(campaignId)) continue;
      const counts = this.outcomes.get(campaignId) ?? new Map<string, number>();
      counts.set(outcome.kind, (counts.get(outcome.kind) ?? 0) + 1);
      this.outcomes.set(campaignId, counts);
    }
  }

  end(): void {
    for (const [campaignId, span] of this.spans) {
      const counts = [...(this.outcomes.get(campaignId) ?? [])];
      span.annotate(Object.fromEntries(counts.map(([kind, count]) => [`switchboard.outcome.${kind}`, count])));
      span.end();
    }
  }
}

/** Counts the outcomes of batches and starts their spans in the traces of campaigns. */
@Injectable()
export class BatchObserver {
  private readonly outcomes: Counter<'channel' | 'outcome'>;
  private readonly codes: OutcomeCodes;

  constructor(
    @Inject(TRACING) private readonly tracing: Tracing,
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly traces: CampaignTraces,
    metrics: Metrics,
  ) {
    this.codes = new OutcomeCodes(metrics);
    this.outcomes = metrics.counter('switchboard_sends_total', 'Sends by channel and outcome', ['channel', 'outcome']);
  }

  count({ route, channel: { name: channel } }: Leaving, results: readonly BatchResult[]): void {
    if (isTestRoute(route.id)) return;
    this.codes.count(route.name, channel, results);
    const counts = new Map<BatchResult['outcome']['kind'], number>();
    for (const { outcome } of results) counts.set(outcome.kind, (counts.get(outcome.kind) ?? 0) + 1);
    for (const [outcome, count] of counts) this.outcomes.inc({ channel, outcome }, count);
  }

  /** Null = tracing is off. Never rejects: a trace must not delay messages. */
  async begin(claims: readonly LaneClaim[], { channel, route }: Leaving): Promise<BatchSpans | null> {
    if (!this.tracing.isOn) return null;
    const recipients = new Map<number, number>();
    for (const { lane, recipients: some } of claims) {
      recipients.set(lane.campaignId, (recipients.get(lane.campaignId) ?? 0) + some.length);
    }
    const parents = await this.traces.of(this.dataSource, recipients.keys()).catch(() => new Map<number, string>());
    const spans = [...parents].map(([campaignId, parent]): [number, Span] => {
      const facts = {
        'switchboard.channel': channel.name,
        'switchboard.route_id': route.id,
        'switchboard.recipients': recipients.get(campaignId) ?? 0,
      };
      return [campaignId, this.tracing.start('send batch', { kind: 'client', parent, facts })];
    });
    return spans.length > 0 ? new BatchSpans(new Map(spans)) : null;
  }
}
