import { isRecentId } from '../../kernel/ids.js';

/** Deadlock, lock wait timeout, MariaDB snapshot conflict: the server has rolled all back. */
const LOST_RACE = new Set([1213, 1205, 1020]);
/**
 * Cluster node not ready (1047; 3796 to 3799 at the begin), server not the writer (1290, 1836, 1792), offline (3032), proxy
 * without a server (9001): nothing was executed; the connection is useless.
 */
const WRONG_NODE = new Set([1047, 1290, 1792, 1836, 3032, 3796, 3797, 3798, 3799, 9001]);
/**
 * Connection or node lost during a statement. Without 1317: that is a kill of the statement alone, which is intended. 3100 and
 * 3101: a node that leaves its group rolls back what waits there, which the others may have committed.
 */
const BROKEN = new Set([1180, 1053, 1927, 2006, 2013, 3100, 3101, 3169]);
const BROKEN_CODES = new Set([
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'PROTOCOL_CONNECTION_LOST',
  'PROTOCOL_SEQUENCE_TIMEOUT',
  'PROTOCOL_ENQUEUE_AFTER_FATAL_ERROR',
]);
/** Connection failed. Includes too many connections and a starting server: both are temporary. */
const AWAY_CODES = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EAI_AGAIN',
  'ER_CON_COUNT_ERROR',
  'ER_TOO_MANY_USER_CONNECTIONS',
  'ER_HOST_IS_BLOCKED',
]);
/** mysql2 sets no code for this error. */
const NEVER_SENT = "Can't add new command when connection is in closed state";
const DUPLICATE_KEY = 1062;
/** Statement too slow (MariaDB, MySQL) or killed: it may succeed with fewer rows or less load. */
const BROKEN_OFF = new Set([1969, 3024, 1317]);
/** Retry limit after lost races: on a hot row of a cluster four of ten lose each race. */
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

export const isDuplicateKey = (error: unknown): boolean => driverFault(error).errno === DUPLICATE_KEY;

/** Name of the violated unique key, such as `login_identities.PRIMARY`; null for any other error. */
export function duplicateKeyName(error: unknown): string | null {
  const fault = driverFault(error);
  return fault.errno === DUPLICATE_KEY ? (/for key '([^']+)'/.exec(fault.sqlMessage ?? '')?.[1] ?? null) : null;
}

/** MySQL, MariaDB */
const VIOLATED_CHECK = new Set([3819, 4025]);
const NULL_VALUE = 1048;

/** Name of the violated CHECK constraint; null for any other error. */
export function violatedCheck(error: unknown): string | null {
  const { errno = 0, sqlMessage = '' } = driverFault(error);
  return VIOLATED_CHECK.has(errno) ? (/constraint ['`]([^'`]+)['`]/i.exec(sqlMessage)?.[1] ?? null) : null;
}

/** Name of the NOT NULL column that would have become NULL; null for any other error. */
export function nullColumn(error: unknown): string | null {
  const { errno, sqlMessage = '' } = driverFault(error);
  return errno === NULL_VALUE ? (/^Column '([^']+)'/.exec(sqlMessage)?.[1] ?? null) : null;
}

/** Whether a constraint refused a statement: no COMMIT does. */
export const isRefusedByConstraint = (error: unknown): boolean =>
  isDuplicateKey(error) || violatedCheck(error) !== null || nullColumn(error) !== null;

/** Whether another process has used the generated id (`kernel/ids.ts`): a new id helps. */
export function isIdCollision(error: unknown): boolean {
  const { errno, sqlMessage = '' } = driverFault(error);
  if (errno !== DUPLICATE_KEY) return false;
  const [, entry] = /^Duplicate entry '([\d-]+)' for key '(?:\w+\.)?PRIMARY'$/.exec(sqlMessage) ?? [];
  return entry?.split('-').some((part) => isRecentId(Number(part))) ?? false;
}

/** Outcome of the failed statement or COMMIT. */
export type FaultOutcome =
  /** rolled back; retry from the start */
  | 'lost race'
  /** not executed; retry on another connection */
  | 'elsewhere'
  /** connection lost, outcome unknown */
  | 'unknown'
  | 'refused';

export function faultOutcome(error: unknown): FaultOutcome {
  const { errno = 0, code = '', message } = driverFault(error);
  if (LOST_RACE.has(errno)) return 'lost race';
  if (WRONG_NODE.has(errno) || AWAY_CODES.has(code) || message === NEVER_SENT) return 'elsewhere';
  return BROKEN.has(errno) || BROKEN_CODES.has(code) ? 'unknown' : 'refused';
}

/** Whether this server does not write or serve: its other connections are useless too. */
export const isWrongNode = (error: unknown): boolean => WRONG_NODE.has(driverFault(error).errno ?? 0);

/** Whether the fault is temporary (the database or its connection), so that a later retry may succeed. */
export const isPassing = (error: unknown): boolean =>
  faultOutcome(error) !== 'refused' || driverFault(error).code === 'POOL_WAIT_TIMEOUT';

/** Whether one item of a batch may be the cause: refused, or races lost repeatedly. Outages and timeouts concern all items. */
export function mayBeOwn(error: unknown): boolean {
  if (faultOutcome(error) === 'lost race') return true;
  return !isPassing(error) && !BROKEN_OFF.has(driverFault(error).errno ?? 0);
}

/** Milliseconds until the next attempt, growing, with jitter. @param attempt the last one, from 1 */
export const pauseAfter = (attempt: number): number => Math.random() * 10 * 2 ** Math.min(attempt, 5);

const AGAIN = '/* again */ ';
const READS = /^[\s(]*(SELECT|SHOW|WITH)\b/i;
const ONLY_HERE = '/* here */ ';
/** Not retried elsewhere: connection state, and table changes, which block others; their leader task repeats them. */
const OF_ITS_CONNECTION = /^((SET|ALTER|DROP|CREATE|START TRANSACTION|COMMIT|ROLLBACK)\b|\/\* here \*\/)/;

/** Marks a write to retry after a lost connection even if executed (docs/decisions/0004): a second run must have no effect. */
export const again = (sql: string): string => AGAIN + sql;

/** Marks a statement whose result counts on this connection only: it is not retried on another server. */
export const onlyHere = (sql: string): string => ONLY_HERE + sql;

/** Whether a failed single statement is retried on another connection. */
export function mayGoElsewhere(sql: string, outcome: FaultOutcome): boolean {
  if (OF_ITS_CONNECTION.test(sql)) return false;
  return outcome === 'elsewhere' || (outcome === 'unknown' && (READS.test(sql) || sql.startsWith(AGAIN)));
}

/** Not retried at once: all other statements queue behind a waiting table change. */
const CHANGES = /^(ALTER|DROP|CREATE) TABLE\b/;
/** Minimum timeout of a table change: deleting the file of a large table takes longer than any other statement. */
const CHANGE_MS = 600_000;

/** Whether a single statement that lost a lock race is retried on its connection. */
export const mayRaceAgain = (sql: string): boolean => !CHANGES.test(sql);

/** Timeout of a statement, milliseconds; 0 = none. @param timeout of ordinary statements */
export const timeOf = (sql: string, timeout: number): number =>
  timeout > 0 && CHANGES.test(sql) ? Math.max(timeout, CHANGE_MS) : timeout;
