import { randomBytes } from 'node:crypto';
import { now } from '../../kernel/clock.js';
import { firstIdAt } from '../../kernel/ids.js';

/** What DDL is asked through: a data source, a query runner, a transaction's manager. */
export interface Asked {
  query<T = unknown>(sql: string, values?: unknown[]): Promise<T>;
}

/** A partition of a table that is cut into days. */
export interface DayPartition {
  name: string;
  /** 00:00 UTC of the day whose rows it holds, with all before that no other holds; null = the last one, of days to come */
  day: Date | null;
}

/** The bound of a day: SQL that every row of before it is lower than, and no later row. @param start 00:00 UTC */
export type DayBound = (start: Date) => string;

export const DAY_MS = 86_400_000;
/** That MariaDB and MySQL let a table have. */
const MOST_PARTITIONS = 8_192;
/** Holds whatever no day was made for; REORGANIZE cuts days off it. */
export const LATER = 'later';

export const startOfDay = (at: Date): Date => new Date(Math.floor(at.getTime() / DAY_MS) * DAY_MS);
export const daysAfter = (day: Date, days: number): Date => new Date(day.getTime() + days * DAY_MS);

/** A day by the ids that are made in it (`kernel/ids.ts`). */
export const idBound: DayBound = (start) => String(firstIdAt(start));
/** A day by a DATE column. */
export const dateBound: DayBound = (start) => `'${start.toISOString().slice(0, 10)}'`;

/** d20261122 holds what is lower than the bound of the next day. */
const nameOf = (day: Date): string => `d${day.toISOString().slice(0, 10).replaceAll('-', '')}`;

function dayOf(name: string): Date | null {
  const [, year, month, day] = /^d(\d{4})(\d\d)(\d\d)$/.exec(name) ?? [];
  return year === undefined ? null : new Date(`${year}-${month}-${day}T00:00:00Z`);
}

const definition = (day: Date, bound: DayBound): string =>
  `PARTITION ${nameOf(day)} VALUES LESS THAN (${bound(daysAfter(day, 1))})`;

/** What follows the last day. */
const later = (bound: DayBound): string =>
  `PARTITION ${LATER} VALUES LESS THAN ${bound(new Date(0)).startsWith("'") ? '(MAXVALUE)' : 'MAXVALUE'}`;

/**
 * The end of a CREATE TABLE whose table is cut into days: one partition for all up to today, and one for all later rows.
 * @param by such as `RANGE (campaign_id)` or `RANGE COLUMNS (sent_on)`
 */
export const partitionedByDay = (by: string, bound: DayBound): string =>
  `PARTITION BY ${by} (${definition(startOfDay(now()), bound)}, ${later(bound)})`;

/** Oldest first; none for a table that is not cut into days. */
export async function partitionsOf(db: Asked, table: string): Promise<DayPartition[]> {
  const rows = await db.query<{ name: string }[]>(
    `SELECT partition_name AS name FROM information_schema.partitions
     WHERE table_schema = DATABASE() AND table_name = ? AND partition_name IS NOT NULL
     ORDER BY partition_ordinal_position LIMIT ${MOST_PARTITIONS}`,
    [table],
  );
  return rows.map(({ name }) => ({ name, day: dayOf(name) }));
}

/**
 * Cuts days off the last partition. Rows that lie in it already are copied, and no statement writes the table meanwhile.
 * @param days ascending, see `missingDays`
 */
export async function addDays(db: Asked, table: string, bound: DayBound, days: readonly Date[]): Promise<void> {
  const partitions = [...days.map((day) => definition(day, bound)), later(bound)];
  await db.query(`ALTER TABLE ${table} REORGANIZE PARTITION ${LATER} INTO (${partitions.join(', ')})`);
}

/** The name of what has been put aside, and of no other table. */
const ASIDE = /^(\w+)_gone_[\da-f]{8}$/;
/** No process works at it any more. */
const LEFT_HOURS = 1;

/**
 * A table of the same columns and keys, empty and without days: a day that is exchanged for it leaves the table at once,
 * whatever it holds, and its file is deleted aside, where it holds up no statement.
 * @returns its name
 */
export async function tableAside(db: Asked, table: string): Promise<string> {
  const [made] = await db.query<{ 'Create Table': string }[]>(`SHOW CREATE TABLE ${table}`);
  const name = `${table}_gone_${randomBytes(4).toString('hex')}`;
  const [definition = ''] = (made?.['Create Table'] ?? '').split(/\n\s*(?:\/\*!\d+ *)?PARTITION BY /);
  await db.query(definition.replace(/^CREATE TABLE `\w+`/, `CREATE TABLE ${name}`));
  return name;
}

/** What killed processes have put aside and not removed. */
export async function tablesLeftAside(db: Asked, table: string): Promise<string[]> {
  const rows = await db.query<{ name: string }[]>(
    `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE()
       AND table_name LIKE CONCAT(?, '\\_gone\\_%') AND create_time < NOW() - INTERVAL ${LEFT_HOURS} HOUR LIMIT 100`,
    [table.replaceAll('_', '\\_')],
  );
  return rows.map(({ name }) => name).filter((name) => ASIDE.exec(name)?.[1] === table);
}

/**
 * The days that a table lacks, up to so many after today. Days that were missed become one, which ends yesterday: a long
 * absence makes no more partitions than one day's.
 */
export function missingDays(partitions: readonly DayPartition[], today: Date, ahead: number): Date[] {
  const last = Math.max(...partitions.map(({ day }) => day?.getTime() ?? -Infinity));
  const days: Date[] = [];
  const first = Math.max(last + DAY_MS, today.getTime() - DAY_MS);
  for (let day = first; day <= daysAfter(today, ahead).getTime(); day += DAY_MS) days.push(new Date(day));
  return days;
}
