import type { Socket } from 'node:net';
import { createPool, type Pool, type PoolConnection, type PoolOptions } from 'mysql2';
import { redrawIds } from '../../kernel/ids.js';
import { DatabaseWatch } from './database-watch.js';
import {
  ATTEMPTS,
  faultOutcome,
  isIdCollision,
  isWrongNode,
  mayGoElsewhere,
  mayRaceAgain,
  pauseAfter,
  timeOf,
} from './faults.js';
import { setPatience, type Patience, refuseInsideTransaction } from './transaction.js';

/** Interval between connection attempts during an outage. */
const POLL_EVERY_MS = 200;

interface Waiting {
  tryNow: () => void;
  isWanted: () => boolean;
}

/** Waiters during an outage. One at a time retries, so that a restarting server is not flooded; its success releases all. */
class Outage {
  private waiting: Waiting[] = [];
  private timer: NodeJS.Timeout | null = null;

  /** Calls `tryNow` once, later; a failed attempt must wait again. */
  wait(tryNow: () => void, isWanted: () => boolean): void {
    this.waiting.push({ tryNow, isWanted });
    this.timer ??= setTimeout(() => this.poll(), POLL_EVERY_MS).unref();
  }

  over(): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
    const all = this.waiting;
    this.waiting = [];
    for (const { tryNow } of all) tryNow();
  }

  private poll(): void {
    this.timer = null;
    this.waiting = this.waiting.filter(({ isWanted }) => isWanted());
    const first = this.waiting.shift();
    if (!first) return;
    // Scheduled before the attempt, which may hang: a firewall that drops packets sends no answer.
    if (this.waiting.length > 0) this.timer = setTimeout(() => this.poll(), POLL_EVERY_MS).unref();
    first.tryNow();
  }
}

export const IDLE_MS = 20_000;
/** Extra time before the server may close an idle connection. */
const IDLE_MARGIN_MS = 5_000;

// CHECKs decide debits. Statements quote by " and mysql2 escapes by backslashes: no ANSI_QUOTES, PIPES_AS_CONCAT or NO_BACKSLASH_ESCAPES.
const SQL_MODE = 'STRICT_TRANS_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION';

// READ COMMITTED: docs/decisions/0004. The server ends silent transactions at 1/2 of the query time, before lock waits end at
// 2/3, and statements at 0.9. MySQL has no such limits, only `wait_timeout` for silent connections, and 0.9 for SELECTs.
function sessionStatements(queryTimeout: number): string[] {
  const isolation = 'SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED';
  const relied = `SET SESSION sql_mode = '${SQL_MODE}', time_zone = '+00:00', autocommit = 1, character_set_client = utf8mb4,
    character_set_results = utf8mb4, collation_connection = utf8mb4_bin /*M!, check_constraint_checks = 1 */`;
  if (queryTimeout === 0) return [isolation, relied];
  const seconds = (share: number): number => Math.max(1, Math.round((queryTimeout * share) / 1000));
  const silence = Math.max(seconds(1 / 2), (IDLE_MS + IDLE_MARGIN_MS) / 1000);
  return [
    isolation,
    `${relied}, innodb_lock_wait_timeout = ${seconds(2 / 3)}
       /*M!, idle_transaction_timeout = ${seconds(1 / 2)}, max_statement_time = ${(queryTimeout * 0.9) / 1000} */
       /*!80000 , wait_timeout = ${silence}, max_execution_time = ${Math.round(queryTimeout * 0.9)} */`,
  ];
}

export interface PoolBounds {
  queryTimeout: number;
  poolWait: number;
}

/** A statement timed out. Its connection is closed, because the server may still be executing it. */
class QueryTimeout extends Error {
  override readonly name = 'QueryTimeout';
  readonly code = 'PROTOCOL_SEQUENCE_TIMEOUT';

  constructor(milliseconds: number) {
    super(`The database did not answer a statement within ${milliseconds / 1000} s`);
  }
}

class PoolWaitTimeout extends Error {
  override readonly name = 'PoolWaitTimeout';
  readonly code = 'POOL_WAIT_TIMEOUT';

  constructor(milliseconds: number) {
    super(`No connection to the database was free within ${milliseconds / 1000} s`);
  }
}

type Take = (error: Error | null, connection: PoolConnection) => unknown;
type Done = (error: Error | null, rows?: unknown, fields?: unknown) => void;
type Statement = string | { sql: string; timeout?: number; rowsAsArray?: boolean };
type Query = (statement: Statement, values: unknown, done?: Done) => unknown;

const BEGINS = /^START TRANSACTION/;
const ENDS = /^(COMMIT|ROLLBACK)$/;
const isEnd = (sql: string): boolean => ENDS.test(sql) || sql.endsWith(`;\nCOMMIT`);

interface Asking {
  statement: Statement;
  sql: string;
  values: unknown;
  timeout: number;
  done: Done;
  begun: number;
  runs: number;
}

/** mysql2 for TypeORM with timeouts, waits during short outages, session settings and exact retries (docs/decisions/0004). */
export const guardedDriver = (bounds: PoolBounds, watch = new DatabaseWatch()) => ({
  createPool: (options: PoolOptions): Pool => {
    const pool = createPool(options);
    new GuardedPool(pool, bounds, watch).guard();
    return pool;
  },
});

class GuardedPool {
  private readonly askers = new WeakMap<PoolConnection, (asking: Asking) => void>();
  private readonly idle = new Set<PoolConnection>();
  private readonly outage = new Outage();
  private readonly take: Pool['getConnection'];
  private readonly patience: Patience;
  /** Connections of an earlier generation lead to a server that is no longer the writer. */
  private generation = 0;
  /** No outage wait before the first connection: the process start counts its own attempts. */
  private hasServed = false;

  constructor(
    private readonly pool: Pool,
    private readonly bounds: PoolBounds,
    private readonly watch: DatabaseWatch,
  ) {
    this.take = pool.getConnection.bind(pool);
    this.patience = setPatience(pool, bounds);
  }

  guard(): void {
    const { pool, idle } = this;
    pool.on('acquire', (connection) => idle.delete(connection));
    pool.on('release', (connection) => idle.add(connection));
    pool.getConnection = (done: Take): void => {
      try {
        refuseInsideTransaction();
      } catch (error) {
        return void done(error as Error, null as never);
      }
      this.takeInTime(done);
    };
    this.watch.watch({ ping: (timeout) => this.ping(timeout) });
  }

  /** @param isPatient also waits during an outage, not only for a free connection */
  private takeInTime(done: Take, isPatient = true): void {
    let waits = true;
    let last: Error | null = null;
    const end: Take = (error, connection) => {
      // The caller has timed out: return the connection.
      if (!waits) return error ? undefined : connection.release();
      waits = false;
      clearTimeout(timer);
      done(error, connection);
    };
    const timer = setTimeout(() => {
      if (!last) this.watch.waitGivenUp();
      end(last ?? new PoolWaitTimeout(this.bounds.poolWait), null as never);
    }, this.bounds.poolWait);
    const failed = (error: Error): void => {
      last = error;
      const isWaitedFor = isPatient && this.hasServed && faultOutcome(error) !== 'refused';
      if (isWaitedFor && waits) this.outage.wait(tryNow, () => waits);
      else end(error, null as never);
    };
    const tryNow = (): void => {
      this.take((error, connection) => {
        if (error) {
          this.watch.ended(error);
          return failed(error);
        }
        if (!waits) return connection.release();
        this.greet(connection, (fault) => {
          if (fault) return failed(fault);
          this.outage.over();
          end(null, connection);
        });
      });
    };
    tryNow();
  }

  private greet(connection: PoolConnection, done: (fault: Error | null) => void): void {
    if (this.askers.has(connection)) return done(null);
    const { idle } = this;
    this.guardRelease(connection);
    this.guardQueries(connection);
    connection.once('error', () => idle.delete(connection));
    connection.once('end', () => idle.delete(connection));
    const destroy = connection.destroy.bind(connection);
    connection.destroy = () => {
      idle.delete(connection);
      destroy();
    };
    saying(connection, sessionStatements(this.bounds.queryTimeout), (error) => {
      if (error) {
        this.askers.delete(connection);
        drop(connection);
      } else this.hasServed = true;
      done(error);
    });
  }

  private ping(timeout: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.takeInTime((error, connection) => {
        if (error) return reject(error);
        connection.query({ sql: 'SELECT 1', timeout }, (fault) => {
          connection.release();
          if (fault) reject(fault);
          else resolve();
        });
      }, false);
    });
  }

  /** Closes, on release, a connection to a server that is no longer the writer. */
  private guardRelease(connection: PoolConnection): void {
    const { generation } = this;
    const release = connection.release.bind(connection);
    connection.release = () => {
      if (generation < this.generation) drop(connection);
      else release();
    };
  }

  /** Adds the timeout to each statement, and the retry to single statements. */
  private guardQueries(connection: PoolConnection): void {
    const send = connection.query.bind(connection) as unknown as Query;
    let inTransaction = false;
    const ask = (asking: Asking): unknown => {
      const { statement, sql, values, timeout, done } = asking;
      const begins = BEGINS.test(sql);
      if (begins) inTransaction = true;
      asking.runs++;
      const timer = timeout > 0 ? setTimeout(() => this.giveUp(connection, timeout), timeout) : undefined;
      return send(statement, values, (error, rows, fields) => {
        clearTimeout(timer);
        this.watch.ended(error);
        // A COMMIT that failed has lost its transaction (cluster): a retry would commit nothing and succeed.
        const isSingle = !inTransaction;
        if (isEnd(sql) || (begins && error)) inTransaction = false;
        if (isIdCollision(error)) redrawIds();
        if (isWrongNode(error)) this.leaveServer();
        if (!error || !isSingle || !this.runsAgain(asking, error, connection, ask)) done(error, rows, fields);
      });
    };
    const query: Query = (statement, values, done) => {
      if (typeof values === 'function') return query(statement, undefined, values as Done);
      if (!done) return send(statement, values);
      const { timeout = this.bounds.queryTimeout, ...sent } =
        typeof statement === 'string' ? { sql: statement } : statement;
      const plain = typeof statement === 'string' ? statement : sent;
      const { sql } = sent;
      const bound = timeOf(sql, timeout);
      return ask({ statement: plain, sql, values, timeout: bound, done, begun: performance.now(), runs: 0 });
    };
    this.askers.set(connection, ask);
    Object.assign(connection, { query });
  }

  /** @returns whether the failed single statement is retried; its callback then runs later */
  private runsAgain(
    asking: Asking,
    error: Error,
    connection: PoolConnection,
    ask: (asking: Asking) => unknown,
  ): boolean {
    const { sql, runs, begun, done } = asking;
    const outcome = faultOutcome(error);
    const elapsed = performance.now() - begun;
    if (runs >= ATTEMPTS) return false;
    if (outcome === 'lost race') {
      if (!mayRaceAgain(sql) || elapsed > this.patience.forLocks) return false;
      setTimeout(() => ask(asking), pauseAfter(runs));
      return true;
    }
    if (!mayGoElsewhere(sql, outcome) || elapsed > this.patience.forWriter) return false;
    drop(connection); // frees its slot in the pool
    setTimeout(() => {
      this.takeInTime((fault, other) => {
        if (fault) return done(fault);
        const released: Done = (...end) => {
          other.release();
          done(...end);
        };
        this.askers.get(other)?.({ ...asking, done: released });
      });
    }, pauseAfter(runs));
    return true;
  }

  /** The server is no longer the writer: close idle connections now, others on release. */
  private leaveServer(): void {
    this.generation++;
    this.dropIdle();
  }

  private dropIdle(): void {
    for (const connection of this.idle) drop(connection);
    this.idle.clear();
  }

  /** Fails the running and queued statements and closes the connection, then all idle ones, which may hang as well. */
  private giveUp(connection: PoolConnection, timeout: number): void {
    socketOf(connection).destroy(new QueryTimeout(timeout));
    this.dropIdle();
    this.watch.queryTimedOut();
  }
}

function saying(connection: PoolConnection, statements: readonly string[], done: (error: Error | null) => void): void {
  const [first, ...rest] = statements;
  if (first === undefined) return done(null);
  connection.query(first, (error) => (error ? done(error) : saying(connection, rest, done)));
}

/** The socket is missing in mysql2's types. Destroying it with an error fails all queued statements; `destroy()` does not. */
const socketOf = (connection: PoolConnection): Socket => (connection as PoolConnection & { stream: Socket }).stream;

function drop(connection: PoolConnection): void {
  connection.destroy();
  socketOf(connection).destroy();
}
