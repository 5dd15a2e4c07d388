import { isRecentId } from '../../kernel/ids.js';

/** Deadlock, lock wait time-out, MariaDB's snapshot conflict, and a Galera node that is not ready: to be run again. */
const RETRYABLE = new Set([1213, 1205, 1020, 1047]);
const DUPLICATE_KEY = 1062;
/** How often something is run that the server asks to be run again. */
export const ATTEMPTS = 8;

interface DriverFault {
  errno?: number;
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

/** True when the server asks for the transaction, or the statement outside one, to be run again from its start. */
export const isRetryable = (error: unknown): boolean => RETRYABLE.has(driverFault(error).errno ?? 0);

/** How long to wait before the next attempt, milliseconds: longer each time, with jitter. @param attempt the last one, from 1 */
export const pauseAfter = (attempt: number): number => Math.random() * 10 * 2 ** Math.min(attempt, 5);
