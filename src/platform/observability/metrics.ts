import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import {
  collectDefaultMetrics,
  Counter,
  Gauge,
  Histogram,
  type Metric,
  type MetricObjectWithValues,
  type MetricValueWithName,
  Registry,
} from 'prom-client';
import { DatabaseWatch, ReadDatabase, runsAgain } from '../database/index.js';

export interface Observed {
  /** observations per bucket, not cumulative; those above the last bound are in `count` only */
  buckets: readonly number[];
  count: number;
  sum: number;
}

/** A histogram that adds pre-counted buckets; prom-client's adds single observations. */
class SummedHistogram<Label extends string> {
  readonly type = 'histogram';
  private readonly series = new Map<string, { labels: Record<string, string>; observed: Observed }>();

  constructor(
    readonly name: string,
    readonly help: string,
    readonly labelNames: readonly Label[],
    private readonly bounds: readonly number[],
  ) {}

  add(labels: Record<Label, string>, { buckets, count, sum }: Observed): void {
    const key = this.labelNames.map((name) => labels[name]).join('\0');
    const known = this.series.get(key)?.observed ?? { buckets: this.bounds.map(() => 0), count: 0, sum: 0 };
    const observed = {
      buckets: known.buckets.map((times, index) => times + (buckets[index] ?? 0)),
      count: known.count + count,
      sum: known.sum + sum,
    };
    this.series.set(key, { labels: { ...labels }, observed });
  }

  get(): Promise<MetricObjectWithValues<MetricValueWithName<string>>> {
    const values = [...this.series.values()].flatMap(({ labels, observed }) => {
      const bucket = (le: number | string, value: number): MetricValueWithName<string> => ({
        labels: { ...labels, le },
        value,
        metricName: `${this.name}_bucket`,
      });
      let times = 0;
      return [
        ...this.bounds.map((bound, index) => bucket(bound, (times += observed.buckets[index] ?? 0))),
        bucket('+Inf', observed.count),
        { labels, value: observed.sum, metricName: `${this.name}_sum` },
        { labels, value: observed.count, metricName: `${this.name}_count` },
      ];
    });
    const { name, help, type } = this;
    return Promise.resolve({ name, help, type, values, aggregator: 'sum' } as unknown as MetricObjectWithValues<
      MetricValueWithName<string>
    >);
  }

  reset(): void {
    this.series.clear();
  }
}

/** Metrics of this process; a repeated name returns the same metric. Names end in their unit; labels have few values. */
@Injectable()
export class Metrics {
  readonly registry = new Registry();
  /** seconds of HTTP requests */
  readonly requests: Histogram<'method' | 'route' | 'status'>;

  constructor() {
    collectDefaultMetrics({ register: this.registry });
    this.requests = new Histogram({
      name: 'http_request_duration_seconds',
      help: 'Time from the request to the end of its answer',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers: [this.registry],
    });
  }

  counter<Label extends string>(name: string, help: string, labelNames: Label[] = []): Counter<Label> {
    const known = this.registry.getSingleMetric(name) as Counter<Label> | undefined;
    return known ?? new Counter({ name, help, labelNames, registers: [this.registry] });
  }

  /** The same counter under its former name too, for one version. */
  renamedCounter<Label extends string>(
    name: string,
    formerName: string,
    help: string,
    labelNames: Label[],
  ): Pick<Counter<Label>, 'inc'> {
    const both = [this.counter(name, help, labelNames), this.counter(formerName, `Former name of ${name}`, labelNames)];
    return { inc: (...given: []) => both.forEach((counter) => counter.inc(...given)) };
  }

  /** @param read called at each scrape */
  gauge<Label extends string>(
    name: string,
    help: string,
    labelNames: Label[] = [],
    read?: (gauge: Gauge<Label>) => void | Promise<void>,
  ): Gauge<Label> {
    const known = this.registry.getSingleMetric(name) as Gauge<Label> | undefined;
    if (known) return known;
    const gauge: Gauge<Label> = new Gauge({
      name,
      help,
      labelNames,
      registers: [this.registry],
      ...(read ? { collect: () => read(gauge) } : {}),
    });
    return gauge;
  }

  /** A histogram of pre-counted buckets. */
  summedHistogram<Label extends string>(
    name: string,
    help: string,
    labelNames: Label[],
    bounds: number[],
  ): SummedHistogram<Label> {
    const known = this.registry.getSingleMetric(name) as unknown as SummedHistogram<Label> | undefined;
    if (known) return known;
    const made = new SummedHistogram(name, help, labelNames, bounds);
    this.registry.registerMetric(made as unknown as Metric);
    return made;
  }

  histogram<Label extends string>(
    name: string,
    help: string,
    labelNames: Label[],
    buckets: number[],
  ): Histogram<Label> {
    const known = this.registry.getSingleMetric(name) as Histogram<Label> | undefined;
    return known ?? new Histogram({ name, help, labelNames, buckets, registers: [this.registry] });
  }
}

/** Timeouts of this process's database calls. */
@Injectable()
export class DatabaseMetrics implements OnApplicationShutdown {
  private readonly count: (errno: string) => void;

  constructor(metrics: Metrics, watch: DatabaseWatch, reads: ReadDatabase) {
    const waits = metrics.counter(
      'database_pool_wait_timeouts_total',
      'Waits for a free connection that were given up',
    );
    const queries = metrics.counter('database_query_timeouts_total', 'Connections given up because they fell silent');
    watch.events.on('waitGivenUp', () => waits.inc());
    watch.events.on('queryTimedOut', () => queries.inc());
    const again = metrics.counter(
      'database_transaction_retries_total',
      'Transactions that were run again, by the number of the fault (`connection` where there is none)',
      ['errno'],
    );
    this.count = (errno) => again.inc({ errno });
    runsAgain.on('again', this.count);
    const onReplica = metrics.counter('database_replica_reads_total', 'Reads that the replica was asked for');
    const onWriter = metrics.counter(
      'database_writer_reads_total',
      'Reads that went to the writer in place of the replica',
      ['reason'],
    );
    reads.events.on('replica', () => onReplica.inc());
    reads.events.on('writer', (reason) => onWriter.inc({ reason }));
    metrics.gauge('database_replica_lag_seconds', 'How far the replica was behind at the last check', [], (gauge) => {
      if (reads.lagMs !== null) gauge.set(reads.lagMs / 1000);
    });
    metrics.gauge('database_silent_seconds', 'Time since the database last answered', [], (gauge) =>
      gauge.set(watch.silentMs / 1000),
    );
  }

  onApplicationShutdown(): void {
    runsAgain.off('again', this.count);
  }
}
