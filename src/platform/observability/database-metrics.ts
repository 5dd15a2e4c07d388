import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { DatabaseWatch, ReadDatabase, runsAgain } from '../database/index.js';
import { Metrics } from './metrics.js';

/** What this process gave up on its database, for the operator. */
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
    metrics.gauge('database_replica_lag_seconds', 'How far the replica was behind at the last look', [], (gauge) => {
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
