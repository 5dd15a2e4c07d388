import type { MetricObjectWithValues, MetricValueWithName } from 'prom-client';

/** What is added to a histogram at once. */
export interface Observed {
  /** observations of each bucket alone, in the order of the bounds; those beyond the last are in `count` only */
  buckets: readonly number[];
  count: number;
  sum: number;
}

/** A histogram of observations that were counted by bucket before: prom-client's own takes them one by one. */
export class SummedHistogram<Label extends string> {
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

  /** For the registry. */
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

  /** For the registry. */
  reset(): void {
    this.series.clear();
  }
}
