import { setTimeout as sleep } from 'node:timers/promises';
import type { DataSource, EntityManager } from 'typeorm';

/** Deadlock, lock wait time-out, and Galera's certification failure / MariaDB's snapshot conflict. */
const RETRYABLE = new Set([1213, 1205, 1020, 1047]);
const DUPLICATE_KEY = 1062;
const ATTEMPTS = 8;

interface DriverFault {
  errno?: number;
  sqlMessage?: string;
}

function driverFault(error: unknown): DriverFault {
  if (typeof error !== 'object' || error === null) return {};
  const inner = (error as { driverError?: unknown }).driverError;
  return typeof inner === 'object' && inner !== null ? inner : error;
}

/** True for the losing side of a race on a unique key. */
export const isDuplicateKey = (error: unknown): boolean => driverFault(error).errno === DUPLICATE_KEY;

/** Name of the unique key that refused a row, such as `login_identities.PRIMARY`; null for any other error. */
export function duplicateKeyName(error: unknown): string | null {
  const fault = driverFault(error);
  return fault.errno === DUPLICATE_KEY ? (/for key '([^']+)'/.exec(fault.sqlMessage ?? '')?.[1] ?? null) : null;
}

/** True when the server asks for the transaction to be run again from its start. */
const isRetryable = (error: unknown): boolean => RETRYABLE.has(driverFault(error).errno ?? 0);

/**
 * Runs `work` in a transaction; after a deadlock in a fresh one, at most 8 times, with jitter. `work` may run more
 * than once, so it must have no effect outside the database. This is the only way to open a transaction.
 * Lock order everywhere: provider messages, recipients (by key), counters (by key), campaigns (by id), balances, ledger, lanes.
 */
export async function inTransaction<T>(dataSource: DataSource, work: (tx: EntityManager) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await dataSource.transaction('READ COMMITTED', work);
    } catch (error) {
      if (!isRetryable(error) || attempt >= ATTEMPTS) throw error;
      await sleep(Math.random() * 10 * 2 ** Math.min(attempt, 5));
    }
  }
}
