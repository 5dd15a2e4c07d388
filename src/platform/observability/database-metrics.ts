import { Injectable } from '@nestjs/common';
import { DatabaseWatch } from '../database/index.js';
import { Metrics } from './metrics.js';

/** What this process gave up on its database, for the operator. */
@Injectable()
export class DatabaseMetrics {
  constructor(metrics: Metrics, watch: DatabaseWatch) {
    const waits = metrics.counter(
      'database_pool_wait_timeouts_total',
      'Waits for a free connection that were given up',
    );
    const queries = metrics.counter('database_query_timeouts_total', 'Connections given up because they fell silent');
    watch.events.on('waitGivenUp', () => waits.inc());
    watch.events.on('queryTimedOut', () => queries.inc());
    metrics.gauge('database_silent_seconds', 'Time since the database last answered', [], (gauge) =>
      gauge.set(watch.silentMs / 1000),
    );
  }
}
