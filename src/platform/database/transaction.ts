import { setTimeout as sleep } from 'node:timers/promises';
import type { DataSource, EntityManager } from 'typeorm';
import { ATTEMPTS, isIdCollision, isRetryable, pauseAfter } from './faults.js';
import { withinTransaction } from './transaction-scope.js';

/**
 * Runs `work` in a transaction; after a deadlock, or where another process has taken an id of ours, in a fresh one, at
 * most 8 times, with jitter. `work` may run more than once, it makes its ids anew each time, has no effect outside the database, and asks through its `tx` only: a second connection
 * inside a transaction is what a pool hangs on. This is the only way to open a transaction; its isolation level is the
 * connection's (`session.ts`).
 * Lock order everywhere: provider messages, recipients (by key), counters (by key), campaigns (by id), balances, ledger, lanes.
 */
export async function inTransaction<T>(dataSource: DataSource, work: (tx: EntityManager) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await dataSource.transaction((tx) => withinTransaction(() => work(tx)));
    } catch (error) {
      if (!(isRetryable(error) || isIdCollision(error)) || attempt >= ATTEMPTS) throw error;
      await sleep(pauseAfter(attempt));
    }
  }
}
