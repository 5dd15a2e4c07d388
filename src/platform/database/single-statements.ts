import type { Fate } from './faults.js';

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
export function mayGoElsewhere(sql: string, fate: Fate): boolean {
  if (OF_ITS_CONNECTION.test(sql)) return false;
  return fate === 'elsewhere' || (fate === 'unknown' && (READS.test(sql) || sql.startsWith(AGAIN)));
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
