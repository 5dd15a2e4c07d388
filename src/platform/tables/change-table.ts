import { setTimeout as sleep } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import { type Asked, isPassing } from '../database/index.js';

/**
 * Statements on the table wait behind a change that waits for it. So a change first takes the table where it is free at
 * that moment, again and again (MySQL knows no wait below a second: there each try is one), and waits a second at its last try.
 */
const NO_WAIT = 'SET SESSION lock_wait_timeout = /*M! 0 * */ 1';
const LAST_WAIT = 'SET SESSION lock_wait_timeout = 1';
const TRIES_MS = 5_000;
const PAUSE_MS = 30;
/** Longer than any change beside the service takes: one of a table of thirty million rows has to delete its file. */
const OWN_TIME = 'SET SESSION /*M! max_statement_time = 600, */ lock_wait_timeout = DEFAULT';
const AS_BEFORE = 'SET SESSION lock_wait_timeout = DEFAULT';

/**
 * Changes a table beside the service, with a time of its own. A transaction that has used the table holds it until its end:
 * a change that finds no moment without one in five seconds, and none while it waits a second, gives up with an error, and
 * its duty comes again later.
 * @param change one statement that changes the table: it may be run again when it has not begun
 */
export async function changeTable(dataSource: DataSource, change: (db: Asked) => Promise<void>): Promise<void> {
  const runner = dataSource.createQueryRunner();
  const [time] = (await runner.query('SELECT /*M! @@SESSION.max_statement_time AS seconds, */ 1 AS one LIMIT 1')) as {
    seconds?: string;
  }[];
  try {
    await runner.query(OWN_TIME);
    await runner.query(NO_WAIT);
    const until = performance.now() + TRIES_MS;
    while (!(await takes(runner, change))) {
      if (performance.now() > until) {
        await runner.query(LAST_WAIT);
        await change(runner);
        return;
      }
      await sleep(PAUSE_MS * (0.5 + Math.random()));
    }
  } finally {
    await runner
      .query(AS_BEFORE)
      .then(() => time?.seconds && runner.query('SET SESSION max_statement_time = ?', [Number(time.seconds)]))
      .finally(() => runner.release());
  }
}

/** @returns false where the table is in use */
async function takes(db: Asked, change: (db: Asked) => Promise<void>): Promise<boolean> {
  try {
    await change(db);
    return true;
  } catch (error) {
    if (isPassing(error)) return false;
    throw error;
  }
}
