import { setTimeout as sleep } from 'node:timers/promises';
import type { DataSource, EntityManager } from 'typeorm';
import { ATTEMPTS, isIdCollision, isRetryable, pauseAfter } from './faults.js';
import { withinTransaction } from './transaction-scope.js';

/** What is done when a transaction has committed. */
const commits = new WeakMap<EntityManager, (() => void)[]>();

/**
 * Does something once this transaction has committed, and never when it has not: what tells others of its rows.
 * @param effect never throws; work that takes long it leaves to run by itself
 */
export function afterCommit(tx: EntityManager, effect: () => void): void {
  const afterwards = commits.get(tx);
  if (!afterwards) throw new Error('Only a transaction of inTransaction has an end to wait for');
  afterwards.push(effect);
}

/**
 * Runs `work` in a transaction; after a deadlock, or where another process has taken an id of ours, in a fresh one, at
 * most 8 times, with jitter. `work` may run more than once, it makes its ids anew each time, has no effect outside the database, and asks through its `tx` only: a second connection
 * inside a transaction is what a pool hangs on. This is the only way to open a transaction; its isolation level is the
 * connection's (`session.ts`).
 * Lock order everywhere: provider messages, recipients (by key), counters (by key), campaigns (by id), acceptances under way, recipient lists, balances (by account and name), ledger, lanes, webhook
 * endpoints.
 */
export async function inTransaction<T>(dataSource: DataSource, work: (tx: EntityManager) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const afterwards: (() => void)[] = [];
    let result: T;
    try {
      result = await dataSource.transaction((tx) => {
        commits.set(tx, afterwards);
        return withinTransaction(() => work(tx));
      });
    } catch (error) {
      if (!(isRetryable(error) || isIdCollision(error)) || attempt >= ATTEMPTS) throw error;
      await sleep(pauseAfter(attempt));
      continue;
    }
    for (const effect of afterwards) effect();
    return result;
  }
}
