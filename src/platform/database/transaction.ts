import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DataSource, EntityManager } from 'typeorm';
import { ATTEMPTS, type Fate, fateOf, isIdCollision, pauseAfter } from './faults.js';
import { hasCommitted, leaveMark, newMark, type WrittenRow } from './lost-commit.js';
import { type Patience, patienceOf } from './patience.js';
import { withinTransaction } from './transaction-scope.js';

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
  fate: Fate;
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
    return { error, fate: fateOf(error), sent };
  }
}

/** Whether a run whose COMMIT ended with a fault has committed all the same. */
async function cameAbout<T>(
  dataSource: DataSource,
  { fate, sent }: FailedRun<T>,
  lost: KnownBy<T>,
  patience: Patience,
): Promise<boolean> {
  if (!sent || fate === 'lost race' || 'again' in lost) return false;
  const row = 'mark' in lost ? lost.mark : lost.committed(sent.result);
  return row === null || hasCommitted(dataSource, row, patience.forWriter);
}

/** A COMMIT that was lost is tried once more in any case: its caller would have nothing to go on otherwise. */
function isWorthAnother<T>(run: FailedRun<T>, attempt: number, elapsed: number, patience: Patience): boolean {
  if (isIdCollision(run.error)) return attempt < MOST_COLLISIONS;
  if (run.fate === 'refused') return false;
  if (run.fate === 'lost race') return elapsed < patience.forLocks;
  return elapsed < patience.forWriter || (run.sent !== null && attempt === 1);
}
