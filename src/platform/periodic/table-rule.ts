import { firstIdAt } from '../../kernel/ids.js';
import type { Environment } from '../config/index.js';
import type { DayBound } from '../database/index.js';

/** Rows stay. */
interface Kept {
  rule: 'kept';
  /** why it does not grow, or why it may */
  why: string;
}

/** Rows are there only while there is something to do; its end takes them away. */
interface Work {
  rule: 'work';
  /** what takes a row away, and when */
  why: string;
}

/** Rows go by their age, in bounded steps. */
interface Aged {
  rule: 'age';
  /** an indexed column that ascends with time */
  column: string;
  /** the value of the column at a moment; absent: the moment itself */
  valueAt?: (at: Date) => unknown;
  /** SQL of what must hold too, each question mark the same moment; rows for which it does not hold stay until it does */
  onlyIf?: string;
  /** how long they are kept, milliseconds; absent: RETENTION_DAYS */
  keptMs?: number;
}

/** What other tables belong to: goes when it is over for RETENTION_DAYS, in bounded steps, with what follows it. */
interface Root {
  rule: 'root';
  /** SQL about the row `r`, with one question mark: the moment before which it must have been over */
  over: string;
}

/** Goes in the transaction of the row that it belongs to; by `id` of the root. */
interface Follower {
  rule: 'follows';
  root: string;
  column: string;
}

/**
 * Cut into days: a day goes at once when nothing of it is needed. Rows of campaigns that are there keep their day, alone
 * (docs/decisions/0022).
 */
interface Daily {
  rule: 'days';
  bound: DayBound;
  /** whose rows they are, by `id` of that table; absent: age alone decides */
  of?: { root: string; column: string };
  /** most days that they are kept, whatever RETENTION_DAYS says; absent: as long as that says */
  mostDays?: number;
  /** fewest days that they are kept, however short RETENTION_DAYS is */
  leastDays?: number;
}

/**
 * A column with moments that lie ahead by the clock of the database: when a row is due, or free again. When that clock
 * goes back, those that it had made are too late (docs/decisions/0003).
 */
export interface Moment {
  column: string;
  /** of leases: none is longer, milliseconds, or the setting that says so. Absent: a wait, which ends as much earlier as the clock went back */
  longest?: number | 'LANE_LEASE' | 'WEBHOOK_LEASE';
  /** of waits: SQL about the row, the moment that its owner has asked for, which stands (null: none) */
  notBefore?: string;
}

/** Of the configuration, what moments go by. */
export type Leases = Pick<Environment, 'LANE_LEASE' | 'WEBHOOK_LEASE'>;

/** What becomes of the rows of one table. Every table has a rule; the module that owns the table declares it. */
export type TableRule = { table: string; moments?: readonly Moment[] } & (Kept | Work | Aged | Root | Follower | Daily);

/** A table that has this rule. */
export type TableWith<Rule extends TableRule['rule']> = Extract<TableRule, { rule: Rule }>;

/** Those of the rules that are of one kind. */
export function rulesOf<Rule extends TableRule['rule']>(rules: readonly TableRule[], rule: Rule): TableWith<Rule>[] {
  return rules.filter((entry): entry is TableWith<Rule> => entry.rule === rule);
}

/** The tables of no feature. */
export const platformTables: readonly TableRule[] = [
  { table: 'migrations', rule: 'kept', why: 'one of each migration' },
  { table: 'migrations_begun', rule: 'kept', why: 'empty but while migrations run' },
  { table: 'preparation_lock', rule: 'kept', why: 'one row' },
  { table: 'replica_beats', rule: 'kept', why: 'one row' },
  { table: 'transaction_marks', rule: 'age', column: 'id', valueAt: firstIdAt, keptMs: 3_600_000 },
];
