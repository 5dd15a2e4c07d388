import type { Schema } from '../api/client.js';
import { Chart, formatCount, formatShare, formatSpan } from '../ui/index.js';

type Statistics = Schema<'StatisticsAnswerData'>;
type Point = Schema<'PointAnswer'>;

/** More lines than colours say nothing. */
const MOST_LINES = 8;

/** Every step of the span: the API leaves out those in which nothing was. */
function stepsOf({ from, to, step_seconds: step }: Statistics): number[] {
  const first = Math.floor(Date.parse(from) / 1000 / step) * step;
  const last = Date.parse(to) / 1000;
  return Array.from({ length: Math.max(0, Math.ceil((last - first) / step)) }, (_, at) => first + at * step);
}

/** Throughput, delivery rate and delay, from the stored counters. */
export function TrafficCharts({ statistics }: { statistics: Statistics }) {
  const { step_seconds: step } = statistics;
  const times = stepsOf(statistics);
  const series = statistics.series.slice(0, MOST_LINES).map(({ key, points }) => ({
    key,
    at: new Map(points.map((point) => [Math.floor(Date.parse(point.at) / 1000), point])),
  }));
  const linesOf = (value: (point: Point | undefined) => number | null) =>
    series.map(({ key, at }) => ({ label: key, values: times.map((time) => value(at.get(time))) }));
  const isEmpty = series.length === 0;
  return (
    <>
      <Chart
        title="Throughput, messages per second"
        times={isEmpty ? [] : times}
        lines={linesOf((point) => (point?.sent ?? 0) / step)}
        format={(value) => formatCount(value, 2)}
      />
      <Chart
        title="Delivery rate"
        times={isEmpty ? [] : times}
        lines={linesOf((point) => point?.delivery_rate ?? null)}
        format={formatShare}
        isShare
      />
      <Chart
        title="Delay from send to receipt"
        times={isEmpty ? [] : times}
        lines={linesOf((point) => point?.delay_seconds ?? null)}
        format={(value) => formatSpan(Math.round(value))}
      />
    </>
  );
}
