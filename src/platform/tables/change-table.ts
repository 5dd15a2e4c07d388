import type { DataSource } from 'typeorm';
import type { Asked } from '../database/index.js';

/** Statements on the table wait behind a change that waits, so that it does not wait for long. The least the servers know. */
const PATIENCE_SECONDS = 1;

/**
 * Changes a table beside the service. A transaction that has used the table holds it until its end: the change gives up
 * after a second, as an error, and its duty comes again later.
 */
export async function changeTable(dataSource: DataSource, change: (db: Asked) => Promise<void>): Promise<void> {
  const runner = dataSource.createQueryRunner();
  try {
    await runner.query(`SET SESSION lock_wait_timeout = ${PATIENCE_SECONDS}`);
    await change(runner);
  } finally {
    await runner.query('SET SESSION lock_wait_timeout = DEFAULT').finally(() => runner.release());
  }
}
