import type { DataSource, EntityManager } from 'typeorm';
import { inTransaction, type LostCommit } from '../../../platform/database/index.js';
import { Outdated } from './status-writer.js';

/**
 * Runs work that judges recipients as they were read without a lock: what was read is the condition of what is written. Where
 * another transaction was faster, which is rare, it runs again in a fresh transaction and locks before it judges.
 * @param work told whether it locks; as in `inTransaction` without any effect outside the database
 * @param lost as in `inTransaction`
 */
export async function readFirst<Result>(
  dataSource: DataSource,
  work: (tx: EntityManager, locking: boolean) => Promise<Result>,
  lost?: LostCommit<Result>,
): Promise<Result> {
  try {
    return await inTransaction(dataSource, (tx) => work(tx, false), lost);
  } catch (error) {
    if (!(error instanceof Outdated)) throw error;
    return inTransaction(dataSource, (tx) => work(tx, true), lost);
  }
}
