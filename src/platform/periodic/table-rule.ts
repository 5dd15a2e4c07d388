import { firstIdAt } from '../../kernel/ids.js';
import type { Environment } from '../config/index.js';
import type { DayBound } from '../database/index.js';

interface Kept {
  rule: 'kept';
  /** why its size is limited, or needs no limit */
  why: string;
}

/** Rows exist only while they are pending. */
interface Work {
  rule: 'work';
  /** when a row is deleted */
  why: string;
}

/** Rows are deleted by age, in bounded steps. */
interface Aged {
  rule: 'age';
  /** an indexed column that ascends with time */
  column: string;
  /** the column's value at a time; default: the time itself */
  valueAt?: (at: Date) => unknown;
  /** SQL of a further condition, each question mark the same time */
  onlyIf?: string;
  /** milliseconds; default RETENTION_DAYS */
  keptMs?: number;
  /** a setting in days, in place of RETENTION_DAYS */
  keptDays?: 'INBOUND_DAYS';
}

/** Parent rows, deleted with their followers RETENTION_DAYS after their end. */
interface Root {
  rule: 'root';
  /** SQL on the row `r` with one question mark: the latest end */
  over: string;
}

/** Deleted in the transaction of its parent row. */
interface Follower {
  rule: 'follows';
  root: string;
  column: string;
}

/** Partitioned by day; a day without needed rows is dropped at once. Rows of existing parents stay (docs/decisions/0022). */
interface Daily {
  rule: 'days';
  bound: DayBound;
  /** the parent table; absent: age alone decides */
  of?: { root: string; column: string };
  /** maximum, regardless of RETENTION_DAYS */
  mostDays?: number;
  /** minimum, regardless of RETENTION_DAYS */
  leastDays?: number;
}

/** A time column (due, or free again), corrected when the database's clock goes back (docs/decisions/0003). */
export interface Moment {
  column: string;
  /** leases: maximum, milliseconds or a setting. Absent: a wait, shortened by the step of the clock */
  longest?: number | 'LANE_LEASE' | 'WEBHOOK_LEASE';
  /** waits: SQL, the earliest time, set by the owner and kept (null: none) */
  notBefore?: string;
}

export type Leases = Pick<Environment, 'LANE_LEASE' | 'WEBHOOK_LEASE'>;

/** Retention rule of one table. Each table's module declares its rule. */
export type TableRule = { table: string; moments?: readonly Moment[] } & (Kept | Work | Aged | Root | Follower | Daily);

export type TableWith<Rule extends TableRule['rule']> = Extract<TableRule, { rule: Rule }>;

export function rulesOf<Rule extends TableRule['rule']>(rules: readonly TableRule[], rule: Rule): TableWith<Rule>[] {
  return rules.filter((entry): entry is TableWith<Rule> => entry.rule === rule);
}

export const platformTables: readonly TableRule[] = [
  { table: 'migrations', rule: 'kept', why: 'one of each migration' },
  { table: 'migrations_begun', rule: 'kept', why: 'empty but while migrations run' },
  { table: 'preparation_lock', rule: 'kept', why: 'one row' },
  { table: 'replica_beats', rule: 'kept', why: 'one row' },
  { table: 'transaction_marks', rule: 'age', column: 'id', valueAt: firstIdAt, keptMs: 3_600_000 },
];
