import type { Counter } from 'prom-client';
import type { Metrics } from '../../../platform/observability/index.js';
import type { WindowResult } from '../settle/window-result.js';

/** Carriers make up codes: so many of them have a label of their own in a process, and so many routes. */
const MOST_CODES = 60;
const MOST_ROUTES = 500;
const OTHER = 'other';

/** What carriers answer to sends, by route and code, for Prometheus; what was accepted has the code `none`. */
export class OutcomeCodes {
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

  count(route: string, channel: string, results: readonly WindowResult[]): void {
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
