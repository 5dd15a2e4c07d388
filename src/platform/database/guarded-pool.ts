import type { Socket } from 'node:net';
import { createPool, type Pool, type PoolConnection, type PoolOptions } from 'mysql2';
import { ATTEMPTS, fateOf, isIdCollision, pauseAfter } from './faults.js';
import { drawPlace } from '../../kernel/ids.js';
import { DatabaseWatch } from './database-watch.js';
import { notePatience } from './patience.js';
import { sessionStatements } from './session.js';
import { refuseInsideTransaction } from './transaction-scope.js';

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
/** All other statements wait behind a change of a table that waits: it is not run again at once. */
const CHANGES = /^ALTER /;
/**
 * mysql2 for TypeORM, with what the pool itself leaves open: a bounded wait for a connection, a bounded wait for each
 * answer, the session's settings, and a second try of single statements that lost a race of locks.
 */
export const guardedDriver = (bounds: PoolBounds, watch = new DatabaseWatch()) => ({
  createPool: (options: PoolOptions): Pool => guard(createPool(options), bounds, watch),
});

function guard(pool: Pool, bounds: PoolBounds, watch: DatabaseWatch): Pool {
  notePatience(pool, bounds);
  const known = new WeakSet<PoolConnection>();
  const idle = new Set<PoolConnection>();
  pool.on('acquire', (connection) => idle.delete(connection));
  pool.on('release', (connection) => idle.add(connection));
  /** Where one connection is silent the others of its age are suspect: those at rest are made anew when they are needed. */
  const onSilence = (): void => {
    for (const connection of idle) drop(connection);
    idle.clear();
    watch.queryTimedOut();
  };
  const guarded = (connection: PoolConnection, done: Take): void => {
    if (known.has(connection)) return void done(null, connection);
    guardQueries(connection, bounds, watch, onSilence);
    connection.once('error', () => idle.delete(connection));
    connection.once('end', () => idle.delete(connection));
    saying(connection, sessionStatements(bounds.queryTimeout), (error) => {
      if (error) {
        drop(connection);
        return void done(error, connection);
      }
      known.add(connection);
      done(null, connection);
    });
  };
  const take = pool.getConnection.bind(pool);
  const takeInTime = (done: Take): void => {
    let waits = true;
    const timer = setTimeout(() => {
      waits = false;
      watch.waitGivenUp();
      done(new PoolWaitTimeout(bounds.poolWait), null as never);
    }, bounds.poolWait);
    take((error, connection) => {
      // Too late: the place is given back, for the next in line.
      if (!waits) return void (connection as PoolConnection | undefined)?.release();
      clearTimeout(timer);
      if (!error) return guarded(connection, done);
      watch.ended(error);
      done(error, connection);
    });
  };
  pool.getConnection = (done: Take): void => {
    try {
      refuseInsideTransaction();
    } catch (error) {
      return void done(error as Error, null as never);
    }
    takeInTime(done);
  };
  watch.watch({ ping: (timeout) => ping(takeInTime, timeout) });
  return pool;
}

/** One statement after the other; the first fault ends them. */
function saying(connection: PoolConnection, statements: readonly string[], done: (error: Error | null) => void): void {
  const [first, ...rest] = statements;
  if (first === undefined) return done(null);
  connection.query(first, (error) => (error ? done(error) : saying(connection, rest, done)));
}

const ping = (take: (done: Take) => void, timeout: number): Promise<void> =>
  new Promise((resolve, reject) => {
    take((error, connection) => {
      if (error) return reject(error);
      connection.query({ sql: 'SELECT 1', timeout }, (fault) => {
        connection.release();
        if (fault) reject(fault);
        else resolve();
      });
    });
  });

/** Gives each statement of a connection its time, and runs a single one again where the server asks for it. */
function guardQueries(
  connection: PoolConnection,
  bounds: PoolBounds,
  watch: DatabaseWatch,
  onSilence: () => void,
): void {
  const send = connection.query.bind(connection) as unknown as Query;
  let inTransaction = false;
  const query: Query = (statement, values, done) => {
    if (typeof values === 'function') return query(statement, undefined, values as Done);
    if (!done) return send(statement, values);
    const { timeout = bounds.queryTimeout, ...sent } = typeof statement === 'string' ? { sql: statement } : statement;
    const { sql } = sent;
    const begins = BEGINS.test(sql);
    const ends = ENDS.test(sql);
    if (begins) inTransaction = true;
    const attempt = (number: number): unknown => {
      const timer = timeout > 0 ? setTimeout(() => giveUp(connection, timeout, onSilence), timeout) : undefined;
      return send(typeof statement === 'string' ? sql : sent, values, (error, rows, fields) => {
        clearTimeout(timer);
        watch.ended(error);
        // A COMMIT that lost a race, as on a cluster, has lost its transaction: a second one would find nothing to commit.
        const isSingle = !inTransaction && !CHANGES.test(sql);
        if (ends || (begins && error)) inTransaction = false;
        if (isIdCollision(error)) drawPlace();
        if (error && isSingle && number < ATTEMPTS && fateOf(error) === 'lost race') {
          setTimeout(() => attempt(number + 1), pauseAfter(number));
        } else done(error, rows, fields);
      });
    };
    return attempt(1);
  };
  Object.assign(connection, { query });
}

/** The statement under way, and all behind it, end with the error; the pool makes another connection. */
function giveUp(connection: PoolConnection, timeout: number, onSilence: () => void): void {
  socketOf(connection).destroy(new QueryTimeout(timeout));
  onSilence();
}

/** Its types leave the socket out; destroying it with an error ends everything that waits, which `destroy()` does not. */
const socketOf = (connection: PoolConnection): Socket => (connection as PoolConnection & { stream: Socket }).stream;

function drop(connection: PoolConnection): void {
  connection.destroy();
  socketOf(connection).destroy();
}
