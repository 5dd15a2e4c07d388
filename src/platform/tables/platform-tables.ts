import { firstIdAt } from '../../kernel/ids.js';
import type { TableRule } from './table-rule.js';

/** The tables of no feature. */
export const platformTables: readonly TableRule[] = [
  { table: 'migrations', rule: 'kept', why: 'one of each migration' },
  { table: 'migrations_begun', rule: 'kept', why: 'empty but while migrations run' },
  { table: 'preparation_lock', rule: 'kept', why: 'one row' },
  { table: 'replica_beats', rule: 'kept', why: 'one row' },
  { table: 'transaction_marks', rule: 'age', column: 'id', valueAt: firstIdAt, keptMs: 3_600_000 },
];
