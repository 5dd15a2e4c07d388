import { randomBytes } from 'node:crypto';
import { now } from '../../kernel/clock.js';
import { firstIdAt } from '../../kernel/ids.js';

export interface Asked {
  query<T = unknown>(sql: string, values?: unknown[]): Promise<T>;
}

export interface DayPartition {
  name: string;
  /** 00:00 UTC of its day; it also holds earlier rows without a partition. null = the last partition, for later days */
  day: Date | null;
}

/** SQL bound: rows of earlier days are below it, later rows are not. @param start 00:00 UTC */
export type DayBound = (start: Date) => string;

const DAY_MS = 86_400_000;
/** Limit of MariaDB and MySQL per table. */
const MOST_PARTITIONS = 8_192;
/** The last partition, for days without one of their own; REORGANIZE splits days off it. */
export const LATER = 'later';

export const startOfDay = (at: Date): Date => new Date(Math.floor(at.getTime() / DAY_MS) * DAY_MS);
export const daysAfter = (day: Date, days: number): Date => new Date(day.getTime() + days * DAY_MS);

/** Days by the time in generated ids (`kernel/ids.ts`). */
export const idBound: DayBound = (start) => String(firstIdAt(start));
export const dateBound: DayBound = (start) => `'${start.toISOString().slice(0, 10)}'`;

const nameOf = (day: Date): string => `d${day.toISOString().slice(0, 10).replaceAll('-', '')}`;

function dayOf(name: string): Date | null {
  const [, year, month, day] = /^d(\d{4})(\d\d)(\d\d)$/.exec(name) ?? [];
  return year === undefined ? null : new Date(`${year}-${month}-${day}T00:00:00Z`);
}

const definition = (day: Date, bound: DayBound): string =>
  `PARTITION ${nameOf(day)} VALUES LESS THAN (${bound(daysAfter(day, 1))})`;

const later = (bound: DayBound): string =>
  `PARTITION ${LATER} VALUES LESS THAN ${bound(new Date(0)).startsWith("'") ? '(MAXVALUE)' : 'MAXVALUE'}`;

/** PARTITION clause of CREATE TABLE: one partition up to today, one for later rows. @param by such as `RANGE (campaign_id)` */
export const partitionedByDay = (by: string, bound: DayBound): string =>
  `PARTITION BY ${by} (${definition(startOfDay(now()), bound)}, ${later(bound)})`;

/** Partitions, oldest first; none for a table without days. */
export async function partitionsOf(db: Asked, table: string): Promise<DayPartition[]> {
  const rows = await db.query<{ name: string }[]>(
    `SELECT partition_name AS name FROM information_schema.partitions
     WHERE table_schema = DATABASE() AND table_name = ? AND partition_name IS NOT NULL
     ORDER BY partition_ordinal_position LIMIT ${MOST_PARTITIONS}`,
    [table],
  );
  return rows.map(({ name }) => ({ name, day: dayOf(name) }));
}

/** Splits days off the last partition; copies rows that are already in it and blocks writes meanwhile. @param days ascending */
export async function addDays(db: Asked, table: string, bound: DayBound, days: readonly Date[]): Promise<void> {
  const partitions = [...days.map((day) => definition(day, bound)), later(bound)];
  await db.query(`ALTER TABLE ${table} REORGANIZE PARTITION ${LATER} INTO (${partitions.join(', ')})`);
}

/** Only tables that `tableAside` made have such names. */
const EXCHANGE_TABLE = /^(\w+)_gone_[\da-f]{8}$/;
/** Hours after which no process uses such a table any more. */
const LEFT_HOURS = 1;

/** Makes an empty copy without days, to exchange a day for: its file is then deleted without blocking. @returns its name */
export async function makeExchangeTable(db: Asked, table: string): Promise<string> {
  const [made] = await db.query<{ 'Create Table': string }[]>(`SHOW CREATE TABLE ${table}`);
  const name = `${table}_gone_${randomBytes(4).toString('hex')}`;
  const [definition = ''] = (made?.['Create Table'] ?? '').split(/\n\s*(?:\/\*!\d+ *)?PARTITION BY /);
  await db.query(definition.replace(/^CREATE TABLE `\w+`/, `CREATE TABLE ${name}`));
  return name;
}

/** Such tables that killed processes left behind. */
export async function leftExchangeTables(db: Asked, table: string): Promise<string[]> {
  const rows = await db.query<{ name: string }[]>(
    `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE()
       AND table_name LIKE CONCAT(?, '\\_gone\\_%') AND create_time < NOW() - INTERVAL ${LEFT_HOURS} HOUR LIMIT 100`,
    [table.replaceAll('_', '\\_')],
  );
  return rows.map(({ name }) => name).filter((name) => EXCHANGE_TABLE.exec(name)?.[1] === table);
}

/** Days that need a partition, up to `ahead` after today. Missed days become one, which ends yesterday. */
export function missingDays(partitions: readonly DayPartition[], today: Date, ahead: number): Date[] {
  const last = Math.max(...partitions.map(({ day }) => day?.getTime() ?? -Infinity));
  const days: Date[] = [];
  const first = Math.max(last + DAY_MS, today.getTime() - DAY_MS);
  for (let day = first; day <= daysAfter(today, ahead).getTime(); day += DAY_MS) days.push(new Date(day));
  return days;
}
