import { Injectable } from '@nestjs/common';
import { collectDefaultMetrics, Counter, Gauge, Histogram, type Metric, Registry } from 'prom-client';
import { SummedHistogram } from './summed-histogram.js';

/**
 * This process's metrics. Features take their counters from here by name; asking twice gives the same one.
 * Names end in their unit (`_total`, `_seconds`), labels have few values.
 */
@Injectable()
export class Metrics {
  readonly registry = new Registry();
  /** seconds of an HTTP request by method, route pattern and status */
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

  /** @param read called at each scrape, for values that something else keeps */
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

  /** A histogram of what was counted by bucket before. */
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
