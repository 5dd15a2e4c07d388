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
import { notePatience, type Patience, refuseInsideTransaction } from './transaction.js';

/** From one look for the server to the next: those that wait go on within it once the server is back. */
const LOOK_EVERY_MS = 200;

/** A wait for the server. */
interface Waiting {
  tryNow: () => void;
  /** whether it is still waited for */
  isWanted: () => boolean;
}

/**
 * Those that wait while no connection to the server comes about: one of them at a time looks again, so that a server which
 * comes back is not met by a crowd of tries; when it has got through, all go on.
 */
class Outage {
  private waiting: Waiting[] = [];
  private timer: NodeJS.Timeout | null = null;

  /** `tryNow` is called once, later; a try that fails waits anew. */
  wait(tryNow: () => void, isWanted: () => boolean): void {
    this.waiting.push({ tryNow, isWanted });
    this.timer ??= setTimeout(() => this.look(), LOOK_EVERY_MS).unref();
  }

  /** A connection has come about. */
  over(): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
    const all = this.waiting;
    this.waiting = [];
    for (const { tryNow } of all) tryNow();
  }

  private look(): void {
    this.timer = null;
    this.waiting = this.waiting.filter(({ isWanted }) => isWanted());
    const first = this.waiting.shift();
    if (!first) return;
    // The next look comes even where this one hangs: a server behind a line that swallows packets answers no look.
    if (this.waiting.length > 0) this.timer = setTimeout(() => this.look(), LOOK_EVERY_MS).unref();
    first.tryNow();
  }
}

/** The pool closes a connection that idles this long. */
export const IDLE_MS = 20_000;
/** The server closes no connection that the pool still counts on. */
const IDLE_MARGIN_MS = 5_000;

/**
 * What mysql2 and our statements rely on, whatever the server's own settings are. Without NO_BACKSLASH_ESCAPES, since mysql2
 * escapes by backslashes; without ANSI_QUOTES and PIPES_AS_CONCAT, since statements quote by "; strict, so that a value that
 * does not fit is an error and never another value.
 */
const SQL_MODE = 'STRICT_TRANS_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION';

/**
 * What each connection of each pool says once, when it is new. READ COMMITTED for single statements as for transactions
 * (docs/decisions/0004). What waits or works too long is ended by the server itself, each by its own error: a
 * transaction whose owner has fallen silent after half of the time of a query, so that its locks are free before those
 * who wait for them give up at two thirds, and a statement a little before we give up its connection. MySQL bounds no
 * transaction, but a silent connection (`wait_timeout`), and so a silent owner: by the same figure, yet never before the
 * pool closes an idle connection itself. It has no bound for writes either: the end of the connection does it.
 * @param queryTimeout milliseconds; 0 leaves the server's own figures (migrations)
 */
function sessionStatements(queryTimeout: number): string[] {
  const isolation = 'SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED';
  const relied = `SET SESSION sql_mode = '${SQL_MODE}', time_zone = '+00:00', autocommit = 1, character_set_client = utf8mb4,
    character_set_results = utf8mb4, collation_connection = utf8mb4_bin`;
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

/** The bounds of a pool, milliseconds. */
export interface PoolBounds {
  /** of one statement; 0 = none (migrations) */
  queryTimeout: number;
  /** of the wait for a connection */
  poolWait: number;
}

/** A statement had no answer in time. Its connection is given up: it is unknown what the server still does with it. */
export class QueryTimeout extends Error {
  override readonly name = 'QueryTimeout';
  readonly code = 'PROTOCOL_SEQUENCE_TIMEOUT';

  constructor(milliseconds: number) {
    super(`The database did not answer a statement within ${milliseconds / 1000} s`);
  }
}

/** No connection was free in time. */
export class PoolWaitTimeout extends Error {
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

/** A statement on its way. */
interface Asking {
  statement: Statement;
  sql: string;
  values: unknown;
  timeout: number;
  done: Done;
  begun: number;
  /** runs so far */
  runs: number;
}

/**
 * mysql2 for TypeORM, with what the pool itself leaves open: a bounded wait for a connection, and for a server that is
 * away for a moment; a bounded wait for each answer; the session's settings; and a second try of single statements where
 * that is exact (docs/decisions/0004).
 */
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
  /** Connections of an earlier one lead to a server that writes no more. */
  private generation = 0;
  /** Before the first connection there is no wait for the server: a start counts its own tries. */
  private hasServed = false;

  constructor(
    private readonly pool: Pool,
    private readonly bounds: PoolBounds,
    private readonly watch: DatabaseWatch,
  ) {
    this.take = pool.getConnection.bind(pool);
    this.patience = notePatience(pool, bounds);
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

  /** @param isPatient waits for a server that is away as well as for a place in the pool */
  private takeInTime(done: Take, isPatient = true): void {
    let waits = true;
    let last: Error | null = null;
    const end: Take = (error, connection) => {
      // Too late: the place is given back, for the next in line.
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

  /** What a new connection needs before it serves. */
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

  /** A connection to a server that writes no more ends with its use. */
  private guardRelease(connection: PoolConnection): void {
    const { generation } = this;
    const release = connection.release.bind(connection);
    connection.release = () => {
      if (generation < this.generation) drop(connection);
      else release();
    };
  }

  /** Gives each statement of a connection its time, and runs a single one again where that is exact. */
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
        // A COMMIT that lost a race, as on a cluster, has lost its transaction: a second one would find nothing to commit.
        const isSingle = !inTransaction;
        if (ENDS.test(sql) || (begins && error)) inTransaction = false;
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

  /** @returns whether a single statement that failed so is run again; then its end is told later */
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
    drop(connection); // its place in the pool is free for the next one
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

  /** The server writes no more: its connections at rest end now, those in use when they are given back. */
  private leaveServer(): void {
    this.generation++;
    this.dropIdle();
  }

  private dropIdle(): void {
    for (const connection of this.idle) drop(connection);
    this.idle.clear();
  }

  /**
   * The statement under way, and all behind it, end with the error; the pool makes another connection. Where one connection
   * is silent the others of its age are suspect: those at rest are made anew when they are needed.
   */
  private giveUp(connection: PoolConnection, timeout: number): void {
    socketOf(connection).destroy(new QueryTimeout(timeout));
    this.dropIdle();
    this.watch.queryTimedOut();
  }
}

/** One statement after the other; the first fault ends them. */
function saying(connection: PoolConnection, statements: readonly string[], done: (error: Error | null) => void): void {
  const [first, ...rest] = statements;
  if (first === undefined) return done(null);
  connection.query(first, (error) => (error ? done(error) : saying(connection, rest, done)));
}

/** Its types leave the socket out; destroying it with an error ends everything that waits, which `destroy()` does not. */
const socketOf = (connection: PoolConnection): Socket => (connection as PoolConnection & { stream: Socket }).stream;

function drop(connection: PoolConnection): void {
  connection.destroy();
  socketOf(connection).destroy();
}
