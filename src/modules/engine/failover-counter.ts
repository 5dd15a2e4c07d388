import type { Counter } from 'prom-client';
import type { Metrics } from '../../platform/observability/index.js';

/** Lanes that cannot leave over their route, and recipients that a carrier refused. */
export const failoverCounter = (metrics: Metrics): Counter<'channel'> =>
  metrics.counter('switchboard_failovers_total', 'Lanes and refused recipients handed to another route', ['channel']);
