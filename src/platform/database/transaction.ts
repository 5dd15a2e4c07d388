import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DataSource, EntityManager } from 'typeorm';
import { newId } from '../../kernel/ids.js';
import { ATTEMPTS, type FaultOutcome, faultOutcome, isIdCollision, pauseAfter } from './faults.js';

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
function newMark(): WrittenRow {
  return { table: 'transaction_marks', where: { id: newId(), token: randomBytes(6).readUIntBE(0, 6) } };
}

/** Writes the mark; last in its transaction. */
async function leaveMark(tx: EntityManager, { where: { id, token } }: WrittenRow): Promise<void> {
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
async function hasCommitted(dataSource: DataSource, row: WrittenRow, patience: number): Promise<boolean> {
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
      else if (faultOutcome(error) === 'refused' || performance.now() > until) throw new CommitUnknown(error);
      await sleep(pauseAfter(attempt));
    }
  }
}

/** How long something is tried again, milliseconds. */
export interface Patience {
  /** while there is no writer: that of a wait for a connection */
  forWriter: number;
  /** while locks and certifications are lost */
  forLocks: number;
}

const DEFAULT: Patience = { forWriter: 10_000, forLocks: 50_000 };
const ofPools = new WeakMap<object, Patience>();

/** Of the pool: how long its users try again. */
export function notePatience(pool: object, bounds: { queryTimeout: number; poolWait: number }): Patience {
  const forLocks = bounds.queryTimeout > 0 ? 2 * bounds.queryTimeout : DEFAULT.forLocks;
  const patience = { forWriter: bounds.poolWait, forLocks };
  ofPools.set(pool, patience);
  return patience;
}

/** How long users of this pool try again. @param dataSource of a spec: has no driver */
function patienceOf(dataSource: DataSource): Patience {
  const pool = (dataSource as { driver?: { pool?: object } }).driver?.pool;
  return (pool && ofPools.get(pool)) ?? DEFAULT;
}

let scope: AsyncLocalStorage<true> | null = null;

/** Work inside a transaction asked the pool for another connection: with enough of it at once, all wait for each other. */
export class PoolInsideTransaction extends Error {
  override readonly name = 'PoolInsideTransaction';

  constructor() {
    super('A transaction asks through its own connection: read and write through `tx`');
  }
}

/** From now on this process knows which work runs inside a transaction (tests; it costs a little a promise). */
export const watchTransactions = (): void => {
  scope ??= new AsyncLocalStorage();
};

/** Runs the work of a transaction so that `refuseInsideTransaction` can tell. */
const withinTransaction = <T>(work: () => Promise<T>): Promise<T> => (scope ? scope.run(true, work) : work());

/** @throws PoolInsideTransaction where transactions are watched and the caller runs inside one */
export function refuseInsideTransaction(): void {
  if (scope?.getStore()) throw new PoolInsideTransaction();
}

/** Ids that were taken by others: so often in a row only where `work` does not make them anew. */
const MOST_COLLISIONS = 8;

/** Transactions that are run again, for metrics: by the server's number, or `connection` where it gave none. */
export const runsAgain = new EventEmitter<{ again: [cause: string] }>();

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
 * How it is known what became of a COMMIT during which the connection was lost (docs/decisions/0004). Without a word
 * the transaction leaves a mark, a row of its own that is looked up: right for whatever is not hot.
 */
export type LostCommit<T> =
  /** the row by which it is looked up: written by this transaction, and so by no other; null = nothing was written */
  | { committed: (result: T) => WrittenRow | null }
  /** it is run again, without a look: why this is exact although the first run may have committed */
  | { again: string };
type KnownBy<T> = LostCommit<T> | { mark: WrittenRow };
const leavingMark = <T>(): KnownBy<T> => ({ mark: newMark() });

/** How a run of a transaction ended that came to no result. */
interface FailedRun<T> {
  error: unknown;
  outcome: FaultOutcome;
  /** what `work` had come to when COMMIT was sent; null = it was not */
  sent: { result: T } | null;
}

/**
 * Runs `work` in a transaction, and in a fresh one, with jitter, after a deadlock, a lost certification, where another
 * process has taken an id of ours, and where the server has gone, or is not the writer any more, before COMMIT was sent. A
 * connection that is lost during COMMIT leaves open what became of it: that is looked up, never guessed. `work` may run
 * more than once, it makes its ids anew each time, has no effect outside the database, and asks through its `tx` only: a
 * second connection inside a transaction is what a pool hangs on. This is the only way to open a transaction; its isolation
 * level is the connection's (`session.ts`).
 * Lock order everywhere: provider messages, recipients (by key), counters (by key), campaigns (by id), acceptances under way, recipient lists, stored bytes, balances (by account and name), ledger, lanes, webhook
 * endpoints.
 * @throws CommitUnknown when the database could not be asked about a lost COMMIT
 */
export async function inTransaction<T>(
  dataSource: DataSource,
  work: (tx: EntityManager) => Promise<T>,
  lost?: LostCommit<T>,
): Promise<T> {
  const patience = patienceOf(dataSource);
  const begun = performance.now();
  for (let attempt = 1; ; attempt++) {
    const afterwards: (() => void)[] = [];
    const known = lost ? lost : leavingMark<T>();
    const run = await runOnce(dataSource, work, known, afterwards);
    const isDone = !('error' in run) || (await cameAbout(dataSource, run, known, patience));
    if (isDone) {
      for (const effect of afterwards) effect();
      return 'error' in run ? (run.sent as { result: T }).result : run.result;
    }
    if (attempt >= ATTEMPTS || !isWorthAnother(run, attempt, performance.now() - begun, patience)) throw run.error;
    runsAgain.emit('again', causeOf(run));
    await sleep(pauseAfter(attempt));
  }
}

function causeOf({ error }: FailedRun<unknown>): string {
  const { errno, driverError } = error as { errno?: unknown; driverError?: { errno?: unknown } };
  const number = Number(errno ?? driverError?.errno);
  return number >= 1_000 && number < 10_000 ? String(number) : 'connection';
}

async function runOnce<T>(
  dataSource: DataSource,
  work: (tx: EntityManager) => Promise<T>,
  lost: KnownBy<T>,
  afterwards: (() => void)[],
): Promise<{ result: T } | FailedRun<T>> {
  let sent: { result: T } | null = null;
  try {
    const result = await dataSource.transaction(async (tx) => {
      commits.set(tx, afterwards);
      const made = await withinTransaction(() => work(tx));
      if ('mark' in lost) await leaveMark(tx, lost.mark);
      sent = { result: made };
      return made;
    });
    return { result };
  } catch (error) {
    return { error, outcome: faultOutcome(error), sent };
  }
}

/** Whether a run whose COMMIT ended with a fault has committed all the same. */
async function cameAbout<T>(
  dataSource: DataSource,
  { outcome, sent }: FailedRun<T>,
  lost: KnownBy<T>,
  patience: Patience,
): Promise<boolean> {
  if (!sent || outcome === 'lost race' || 'again' in lost) return false;
  const row = 'mark' in lost ? lost.mark : lost.committed(sent.result);
  return row === null || hasCommitted(dataSource, row, patience.forWriter);
}

/** A COMMIT that was lost is tried once more in any case: its caller would have nothing to go on otherwise. */
function isWorthAnother<T>(run: FailedRun<T>, attempt: number, elapsed: number, patience: Patience): boolean {
  if (isIdCollision(run.error)) return attempt < MOST_COLLISIONS;
  if (run.outcome === 'refused') return false;
  if (run.outcome === 'lost race') return elapsed < patience.forLocks;
  return elapsed < patience.forWriter || (run.sent !== null && attempt === 1);
}
