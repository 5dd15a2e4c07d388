import type { Fate } from './faults.js';

const AGAIN = '/* again */ ';
const READS = /^[\s(]*(SELECT|SHOW|WITH)\b/i;
/** Of one connection: another one has no use for it. A change of a table holds up all behind it: its duty comes again by itself. */
const OF_ITS_CONNECTION = /^(SET|ALTER|START TRANSACTION|COMMIT|ROLLBACK)\b/;

/**
 * Marks a single write as one that may be run twice: it is run again where its connection was lost and it may have been
 * done (docs/decisions/0036). For statements whose second run changes nothing more, or nothing that matters, and whose
 * caller does not go by the number of changed rows. Without the mark a write whose answer was lost fails.
 */
export const again = (sql: string): string => AGAIN + sql;

/** Whether a single statement that ended so is run again on another connection. */
export function mayGoElsewhere(sql: string, fate: Fate): boolean {
  if (OF_ITS_CONNECTION.test(sql)) return false;
  return fate === 'elsewhere' || (fate === 'unknown' && (READS.test(sql) || sql.startsWith(AGAIN)));
}

/** Whether a single statement that has lost a race of locks is run again where it was. */
export const mayRaceAgain = (sql: string): boolean => !sql.startsWith('ALTER ');
