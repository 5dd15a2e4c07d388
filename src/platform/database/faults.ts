import { isRecentId } from '../../kernel/ids.js';

/** Deadlock, lock wait time-out, MariaDB's snapshot conflict, group replication's rollback: all is rolled back, certainly. */
const LOST_RACE = new Set([1213, 1205, 1020, 3101]);
/**
 * A node of a cluster that is not ready, a server that is not the writer (any more), a proxy without a server: nothing of
 * the statement was done, and this connection is of no use.
 */
const WRONG_NODE = new Set([1047, 1290, 1836, 9001]);
/**
 * The end of a connection, or of a node, in the middle of something: error during COMMIT, shutdown (which is also MySQL's
 * word for a kill of the connection), MariaDB's word for that, a proxy's. 1317 is neither: both servers keep it for a
 * kill of the statement alone, which is meant.
 */
const BROKEN = new Set([1180, 1053, 1927, 2006, 2013]);
const BROKEN_CODES = new Set([
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'PROTOCOL_CONNECTION_LOST',
  'PROTOCOL_SEQUENCE_TIMEOUT',
  'PROTOCOL_ENQUEUE_AFTER_FATAL_ERROR',
]);
/** No connection came about. Too many connections and a server that starts belong to it: both pass. */
const AWAY_CODES = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EAI_AGAIN',
  'ER_CON_COUNT_ERROR',
  'ER_TOO_MANY_USER_CONNECTIONS',
  'ER_HOST_IS_BLOCKED',
]);
/** mysql2 says so without a code. */
const NEVER_SENT = "Can't add new command when connection is in closed state";
const DUPLICATE_KEY = 1062;
/** A statement that took too long, for MariaDB and for MySQL, or that was killed: fewer rows, or a quieter server, may be served. */
const BROKEN_OFF = new Set([1969, 3024, 1317]);
/** How often something is run that the server asks to be run again: on a hot row of a cluster four of ten lose each race. */
export const ATTEMPTS = 20;

interface DriverFault {
  errno?: number;
  code?: string;
  message?: string;
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

/** True when another process has just taken an id that was made here (`kernel/ids.ts`): a new one will do. */
export function isIdCollision(error: unknown): boolean {
  const { errno, sqlMessage = '' } = driverFault(error);
  if (errno !== DUPLICATE_KEY) return false;
  const [, entry] = /^Duplicate entry '([\d-]+)' for key '(?:\w+\.)?PRIMARY'$/.exec(sqlMessage) ?? [];
  return entry?.split('-').some((part) => isRecentId(Number(part))) ?? false;
}

/** What a fault says of the statement, or of the COMMIT, that it ended. */
export type FaultOutcome =
  /** rolled back, certainly, and to be run again from its start */
  | 'lost race'
  /** nothing was done, and this connection is of no use: another one may reach who can do it */
  | 'elsewhere'
  /** the connection has ended without a word of what became of it */
  | 'unknown'
  /** the server's word, which it would say again */
  | 'refused';

/** What a fault says. */
export function faultOutcome(error: unknown): FaultOutcome {
  const { errno = 0, code = '', message } = driverFault(error);
  if (LOST_RACE.has(errno)) return 'lost race';
  if (WRONG_NODE.has(errno) || AWAY_CODES.has(code) || message === NEVER_SENT) return 'elsewhere';
  return BROKEN.has(errno) || BROKEN_CODES.has(code) ? 'unknown' : 'refused';
}

/** True when this server does not write, or does not serve at all: its other connections are of no more use. */
export const isWrongNode = (error: unknown): boolean => WRONG_NODE.has(driverFault(error).errno ?? 0);

/** True when the fault lies with the database, or the way to it, for now: a later try may be served. */
export const isPassing = (error: unknown): boolean =>
  faultOutcome(error) !== 'refused' || driverFault(error).code === 'POOL_WAIT_TIMEOUT';

/**
 * True when the fault may lie in what was asked, so that others that were asked for together with it need not share it: the
 * server refuses it, or its rows are lost to others again and again. A database that is away or too slow concerns all of them.
 */
export function mayBeOwn(error: unknown): boolean {
  if (faultOutcome(error) === 'lost race') return true;
  return !isPassing(error) && !BROKEN_OFF.has(driverFault(error).errno ?? 0);
}

/** How long to wait before the next attempt, milliseconds: longer each time, with jitter. @param attempt the last one, from 1 */
export const pauseAfter = (attempt: number): number => Math.random() * 10 * 2 ** Math.min(attempt, 5);

const AGAIN = '/* again */ ';
const READS = /^[\s(]*(SELECT|SHOW|WITH)\b/i;
/** Of one connection: another one has no use for it. A change of a table holds up all behind it: its duty comes again by itself. */
const OF_ITS_CONNECTION = /^(SET|ALTER|DROP|CREATE|START TRANSACTION|COMMIT|ROLLBACK)\b/;

/**
 * Marks a single write as one that may be run twice: it is run again where its connection was lost and it may have been
 * done (docs/decisions/0004). For statements whose second run changes nothing more, or nothing that matters, and whose
 * caller does not go by the number of changed rows. Without the mark a write whose answer was lost fails.
 */
export const again = (sql: string): string => AGAIN + sql;

/** Whether a single statement that ended so is run again on another connection. */
export function mayGoElsewhere(sql: string, outcome: FaultOutcome): boolean {
  if (OF_ITS_CONNECTION.test(sql)) return false;
  return outcome === 'elsewhere' || (outcome === 'unknown' && (READS.test(sql) || sql.startsWith(AGAIN)));
}

/** A change of a table: all other statements wait behind one that waits, so it is not run again at once. */
const CHANGES = /^(ALTER|DROP|CREATE) TABLE\b/;
/** The least that a change may take: to delete the file of a large table takes longer than any statement of the service. */
const CHANGE_MS = 600_000;

/** Whether a single statement that has lost a race of locks is run again where it was. */
export const mayRaceAgain = (sql: string): boolean => !CHANGES.test(sql);

/** How long a statement may take, milliseconds; 0 = for ever. @param timeout of an ordinary one */
export const timeOf = (sql: string, timeout: number): number =>
  timeout > 0 && CHANGES.test(sql) ? Math.max(timeout, CHANGE_MS) : timeout;
