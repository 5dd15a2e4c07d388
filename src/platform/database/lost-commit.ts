import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DataSource, EntityManager } from 'typeorm';
import { newId } from '../../kernel/ids.js';
import { fateOf, pauseAfter } from './faults.js';

/** A row by which a transaction is known: no other one has written it so, and it stays for minutes. */
export interface WrittenRow {
  table: string;
  /** columns with their values; the first ones are those of a key */
  where: Readonly<Record<string, number | string | Buffer>>;
}

/** The connection was lost during a COMMIT, and the database could not be asked what became of it. */
export class CommitUnknown extends Error {
  override readonly name = 'CommitUnknown';
  readonly code = 'PROTOCOL_CONNECTION_LOST';

  constructor(cause: unknown) {
    super('The connection was lost during COMMIT, and the database cannot be asked whether it came about', { cause });
  }
}

/** The mark of one transaction: the same mechanism for all that have no row of their own to be known by. */
export function newMark(): WrittenRow {
  return { table: 'transaction_marks', where: { id: newId(), token: randomBytes(6).readUIntBE(0, 6) } };
}

/** Writes the mark; last in its transaction. */
export async function leaveMark(tx: EntityManager, { where: { id, token } }: WrittenRow): Promise<void> {
  await tx.query('INSERT INTO transaction_marks (id, token) VALUES (?, ?)', [id, token]);
}

/** A node of a cluster first applies what the others have committed. MySQL reads it as a comment. */
const CAUGHT_UP = '/*M! SET STATEMENT wsrep_sync_wait = 1 FOR */ ';
const UNKNOWN_VARIABLE = 1193;

/**
 * Whether the transaction that was to write this row has committed. The read is a locking one: where the server still
 * works at the COMMIT, or has not yet heard that the connection is gone, the row is locked, and the answer waits for its end.
 * @param patience milliseconds in which it asks again while the database cannot be asked
 * @throws CommitUnknown
 */
export async function hasCommitted(dataSource: DataSource, row: WrittenRow, patience: number): Promise<boolean> {
  const until = performance.now() + patience;
  const columns = Object.keys(row.where);
  const read = `SELECT 1 FROM ${row.table} WHERE ${columns.map((column) => `${column} = ?`).join(' AND ')}
    LIMIT 1 LOCK IN SHARE MODE`;
  for (let attempt = 1, prefix = CAUGHT_UP; ; attempt++) {
    try {
      const found: unknown[] = await dataSource.query(prefix + read, Object.values(row.where));
      return found.length > 0;
    } catch (error) {
      const { errno } = (error as { driverError?: { errno?: number } }).driverError ?? {};
      if (errno === UNKNOWN_VARIABLE && prefix !== '') prefix = '';
      else if (fateOf(error) === 'refused' || performance.now() > until) throw new CommitUnknown(error);
      await sleep(pauseAfter(attempt));
    }
  }
}
