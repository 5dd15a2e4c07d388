import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DataSource, EntityManager } from 'typeorm';
import { newId } from '../../kernel/ids.js';
import { ATTEMPTS, type FaultOutcome, faultOutcome, isIdCollision, onlyHere, pauseAfter } from './faults.js';

/** A row that identifies a transaction: no other transaction writes it, and it is kept for minutes. */
export interface WrittenRow {
  table: string;
  where: Readonly<Record<string, number | string | Buffer>>;
}

/** The connection was lost during COMMIT, and a query for the outcome failed. */
export class CommitUnknown extends Error {
  override readonly name = 'CommitUnknown';
  readonly code = 'PROTOCOL_CONNECTION_LOST';

  constructor(cause: unknown) {
    super('The connection was lost during COMMIT, and the database cannot be asked whether it came about', { cause });
  }
}

/** Marker row of a transaction that has no identifying row of its own. */
function newMark(): WrittenRow {
  return { table: 'transaction_marks', where: { id: newId(), token: randomBytes(6).readUIntBE(0, 6) } };
}

const LEAVE_MARK = 'INSERT INTO transaction_marks (id, token) VALUES (?, ?)';

/** Inserts the mark; must be the transaction's last statement. */
async function leaveMark(tx: EntityManager, { where: { id, token } }: WrittenRow): Promise<void> {
  await tx.query(LEAVE_MARK, [id, token]);
}

/**
 * Whether the row's transaction has committed: a locking read waits for its end. A write before it, on the same connection,
 * shows that this server is the writer and has everything: a node that lags, or was left out of its cluster, would say no.
 * @param patience ms @throws CommitUnknown
 */
async function hasCommitted(dataSource: DataSource, row: WrittenRow, patience: number): Promise<boolean> {
  const until = performance.now() + patience;
  const columns = Object.keys(row.where);
  const read = `SELECT 1 FROM ${row.table} WHERE ${columns.map((column) => `${column} = ?`).join(' AND ')}
    LIMIT 1 LOCK IN SHARE MODE`;
  for (let attempt = 1; ; attempt++) {
    const runner = dataSource.createQueryRunner();
    try {
      await runner.query(onlyHere(LEAVE_MARK), [newId(), 0]);
      const found = (await runner.query(onlyHere(read), Object.values(row.where))) as unknown[];
      return found.length > 0;
    } catch (error) {
      const isFinal = faultOutcome(error) === 'refused' && !isIdCollision(error);
      if (isFinal || performance.now() > until) throw new CommitUnknown(error);
    } finally {
      await runner.release();
    }
    await sleep(pauseAfter(attempt));
  }
}

/** Retry limits, milliseconds: without a reachable writer, and after lost races for locks. */
export interface Patience {
  forWriter: number;
  forLocks: number;
}

const DEFAULT: Patience = { forWriter: 10_000, forLocks: 50_000 };
const ofPools = new WeakMap<object, Patience>();

export function setPatience(pool: object, bounds: { queryTimeout: number; poolWait: number }): Patience {
  const forLocks = bounds.queryTimeout > 0 ? 2 * bounds.queryTimeout : DEFAULT.forLocks;
  const patience = { forWriter: bounds.poolWait, forLocks };
  ofPools.set(pool, patience);
  return patience;
}

/** Retry limits of this pool's users. @param dataSource has no driver in specs */
function patienceOf(dataSource: DataSource): Patience {
  const pool = (dataSource as { driver?: { pool?: object } }).driver?.pool;
  return (pool && ofPools.get(pool)) ?? DEFAULT;
}

let scope: AsyncLocalStorage<true> | null = null;

/** Work inside a transaction requested a second connection: under load all connections could wait for each other. */
class PoolInsideTransaction extends Error {
  override readonly name = 'PoolInsideTransaction';

  constructor() {
    super('A transaction asks through its own connection: read and write through `tx`');
  }
}

/** Switches on the check of `refuseInsideTransaction` (tests; adds a small cost to each promise). */
export const watchTransactions = (): void => {
  scope ??= new AsyncLocalStorage();
};

const withinTransaction = <T>(work: () => Promise<T>): Promise<T> => (scope ? scope.run(true, work) : work());

/** @throws PoolInsideTransaction when the check is on and the caller runs inside a transaction */
export function refuseInsideTransaction(): void {
  if (scope?.getStore()) throw new PoolInsideTransaction();
}

/** Id collisions in a row; more mean that `work` does not make new ids. */
const MOST_COLLISIONS = 8;

/** Retried transactions, for metrics: the server's error number, or `connection`. */
export const runsAgain = new EventEmitter<{ again: [cause: string] }>();

const commits = new WeakMap<EntityManager, (() => void)[]>();

/** Runs `effect` after this transaction has committed, never otherwise. @param effect must not throw or take long */
export function afterCommit(tx: EntityManager, effect: () => void): void {
  const afterwards = commits.get(tx);
  if (!afterwards) throw new Error('Only a transaction of inTransaction has an end to wait for');
  afterwards.push(effect);
}

/** How to find the outcome of a lost COMMIT (docs/decisions/0004). By default a marker row, too slow only for hot paths. */
export type LostCommit<T> =
  /** a row that only this transaction writes; null = it wrote nothing */
  | { committed: (result: T) => WrittenRow | null }
  /** retried without a query: the reason why a second run is exact even after a commit */
  | { again: string };
type KnownBy<T> = LostCommit<T> | { mark: WrittenRow };
const leavingMark = <T>(): KnownBy<T> => ({ mark: newMark() });

/** A run of a transaction. */
export type Run<T> = { result: T } | FailedRun<T>;

interface FailedRun<T> {
  error: unknown;
  outcome: FaultOutcome;
  /** result of the transaction when COMMIT was sent; null = not sent, or certainly not executed */
  sent: { result: T } | null;
  lost: KnownBy<T>;
}

/**
 * The only way to open a transaction. `work` may run again (deadlock, id collision, lost writer): it makes new ids each time,
 * has no outside effects and uses only `tx`. The outcome of a lost COMMIT is queried. Lock order everywhere: provider
 * messages, recipients (by key), counters (by key), campaigns (by id), pending acceptances, recipient lists, stored bytes,
 * balances (by account and name), ledger, lanes, webhook endpoints. @throws CommitUnknown when the query failed
 */
export async function inTransaction<T>(
  dataSource: DataSource,
  work: (tx: EntityManager) => Promise<T>,
  lost?: LostCommit<T>,
): Promise<T> {
  let afterwards: (() => void)[] = [];
  const result = await untilDone(dataSource, () => {
    afterwards = [];
    return runOnce(dataSource, work, lost ?? leavingMark<T>(), afterwards);
  });
  for (const effect of afterwards) effect();
  return result;
}

/** Runs a transaction until it has committed or is refused. @throws the fault of the last run; CommitUnknown */
export async function untilDone<T>(dataSource: DataSource, runOnce: () => Promise<Run<T>>): Promise<T> {
  const patience = patienceOf(dataSource);
  const begun = performance.now();
  for (let attempt = 1; ; attempt++) {
    const run = await runOnce();
    if (!('error' in run)) return run.result;
    if (run.sent && (await cameAbout(dataSource, run, run.sent.result, patience))) return run.sent.result;
    if (attempt >= ATTEMPTS || !isWorthAnother(run, attempt, performance.now() - begun, patience)) throw run.error;
    runsAgain.emit('again', causeOf(run.error));
    await sleep(pauseAfter(attempt));
  }
}

function causeOf(error: unknown): string {
  const { errno, driverError } = error as { errno?: unknown; driverError?: { errno?: unknown } };
  const number = Number(errno ?? driverError?.errno);
  return number >= 1_000 && number < 10_000 ? String(number) : 'connection';
}

async function runOnce<T>(
  dataSource: DataSource,
  work: (tx: EntityManager) => Promise<T>,
  lost: KnownBy<T>,
  afterwards: (() => void)[],
): Promise<Run<T>> {
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
    return { error, outcome: faultOutcome(error), sent, lost };
  }
}

/** Whether a transaction has committed although its COMMIT returned an error. */
async function cameAbout<T>(
  dataSource: DataSource,
  { outcome, lost }: FailedRun<T>,
  result: T,
  patience: Patience,
): Promise<boolean> {
  if (outcome === 'lost race' || 'again' in lost) return false;
  const row = 'mark' in lost ? lost.mark : lost.committed(result);
  return row === null || hasCommitted(dataSource, row, patience.forWriter);
}

/** A lost COMMIT always gets one retry: otherwise its caller has no outcome. */
function isWorthAnother<T>(run: FailedRun<T>, attempt: number, elapsed: number, patience: Patience): boolean {
  if (isIdCollision(run.error)) return attempt < MOST_COLLISIONS;
  if (run.outcome === 'refused') return false;
  if (run.outcome === 'lost race') return elapsed < patience.forLocks;
  return elapsed < patience.forWriter || (run.sent !== null && attempt === 1);
}
