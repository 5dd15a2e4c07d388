import {
  type BeforeApplicationShutdown,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { PeriodicTask } from '../../platform/concurrency/index.js';
import { CommitUnknown } from '../../platform/database/index.js';
import { Metrics, safeError } from '../../platform/observability/index.js';
import { RouteDirectory } from '../providers/index.js';
import { DELAY_BOUNDS, type Figure, type Tally, Traffic } from '../traffic/index.js';
import { TrafficStore } from './traffic.store.js';

/** Routes with their own label; chat accounts are routes too, up to a hundred thousand. */
const MOST_ROUTES = 500;
const OTHERS = 'other';
const OUTCOMES = [
  'delivered',
  'failed',
  'refused',
  'expired',
  'unanswered',
  'unknown',
] as const satisfies readonly Figure[];

/** Counters of this process for Prometheus. */
@Injectable()
export class TrafficMetrics {
  private readonly labels = new Map<number, string>();
  private readonly sent;
  private readonly outcomes;
  private readonly receipts;
  private readonly delays;
  private readonly charged;
  private readonly refunded;

  constructor(
    private readonly routes: RouteDirectory,
    metrics: Metrics,
  ) {
    const labels = ['route', 'channel'] as const;
    this.sent = metrics.counter('switchboard_messages_sent_total', 'Messages that a carrier took', [...labels]);
    this.outcomes = metrics.counter('switchboard_recipient_outcomes_total', 'What became of recipients', [
      ...labels,
      'outcome',
    ]);
    this.receipts = metrics.counter('switchboard_receipts_total', 'Receipts that found their message', [...labels]);
    this.delays = metrics.summedHistogram(
      'switchboard_receipt_delay_seconds',
      'From the submission of a message to the receipt that settled it',
      [...labels],
      DELAY_BOUNDS.map(({ ms }) => ms / 1000),
    );
    this.charged = metrics.counter('switchboard_credits_charged_total', 'Credits that were charged', ['channel']);
    this.refunded = metrics.counter('switchboard_credits_refunded_total', 'Credits that were given back', ['channel']);
  }

  async show(tallies: readonly Tally[]): Promise<void> {
    for (const { routeId, channel, counts } of tallies) {
      if (counts.charged) this.charged.inc({ channel }, counts.charged);
      if (counts.refunded) this.refunded.inc({ channel }, counts.refunded);
      const labels = { route: await this.labelOf(routeId), channel };
      if (counts.sent) this.sent.inc(labels, counts.sent);
      for (const outcome of OUTCOMES) {
        const times = counts[outcome];
        if (times) this.outcomes.inc({ ...labels, outcome }, times);
      }
      if (counts.receipts) this.receipts.inc(labels, counts.receipts);
      if (counts.timed) {
        this.delays.add(labels, {
          buckets: DELAY_BOUNDS.map(({ figure }) => counts[figure] ?? 0),
          count: counts.timed,
          sum: (counts.delayMs ?? 0) / 1000,
        });
      }
    }
  }

  private async labelOf(routeId: number | null): Promise<string> {
    if (routeId === null) return OTHERS;
    const known = this.labels.get(routeId);
    if (known !== undefined) return known;
    if (this.labels.size >= MOST_ROUTES) return OTHERS;
    const name = await this.routes.byId(routeId).then(
      (route) => route?.name ?? OTHERS,
      () => null,
    );
    if (name === null) return OTHERS;
    this.labels.set(routeId, name);
    return name;
  }
}

const WRITE_EVERY_MS = 5_000;
/** Limit while the database is away; drops the oldest. */
const MOST_UNWRITTEN = 50_000;

/** Writes the counters of this process every few seconds and at shutdown, if there are any. */
@Injectable()
export class TrafficWriter implements OnApplicationBootstrap, BeforeApplicationShutdown, OnApplicationShutdown {
  private readonly logger = new Logger(TrafficWriter.name);
  private unwritten: Tally[] = [];
  private last = Promise.resolve();
  private readonly task = new PeriodicTask(
    WRITE_EVERY_MS,
    () => this.write(),
    (error) => this.logger.warn({ err: safeError(error) }, 'statistics could not be written'),
    0.2,
  );

  constructor(
    private readonly traffic: Traffic,
    private readonly store: TrafficStore,
    private readonly metrics: TrafficMetrics,
  ) {}

  onApplicationBootstrap(): void {
    this.traffic.begin();
    this.task.start();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.task.stop();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.write().catch((error: unknown) => this.logger.warn({ err: safeError(error) }, 'statistics are lost'));
  }

  write(): Promise<void> {
    const write = this.last.then(() => this.writeAll());
    this.last = write.catch(() => undefined);
    return write;
  }

  /** Does not repeat uncertain writes: statistics may miss seconds, but never count twice. */
  private async writeAll(): Promise<void> {
    const fresh = this.traffic.take();
    if (fresh.length > 0) await this.metrics.show(fresh);
    this.unwritten = [...this.unwritten, ...fresh].slice(-MOST_UNWRITTEN);
    try {
      await this.store.add(this.unwritten);
      this.unwritten = [];
    } catch (error) {
      if (error instanceof CommitUnknown) this.unwritten = [];
      throw error;
    }
  }
}
