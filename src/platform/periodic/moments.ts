import { performance } from 'node:perf_hooks';
import { type BeforeApplicationShutdown, Inject, Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { SingleRun } from '../concurrency/index.js';
import { ENVIRONMENT } from '../config/index.js';
import { again } from '../database/index.js';
import { CLOCK, CLOCK_BACK, type ClockStep, DueWatch } from './due-watch.js';
import { LeaderGate } from './leader-tasks.js';
import { safeError } from '../observability/index.js';
import { TABLE_RULES } from './day-maker.js';
import type { Leases, Moment, TableRule } from './table-rule.js';

const ROWS_A_STEP = 500;
/** Rows per statement, to keep statements short on large tables. */
const ROWS_A_PAGE = 5_000;
const MOST_COLUMNS = 16;
const NOW = 'UTC_TIMESTAMP(3)';

type Key = readonly unknown[];
type Row = Record<string, unknown>;

/** SQL with the values of its question marks. */
interface Sql {
  sql: string;
  values: readonly unknown[];
}

/** The late rows of a column and their new value. */
interface Repair {
  column: string;
  isLate: Sql;
  right: Sql;
}

/** Corrects times written while the database's clock was ahead (docs/decisions/0003). Safe in several processes at once. */
@Injectable()
export class Moments {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    @Inject(TABLE_RULES) private readonly rules: readonly TableRule[],
    @Inject(ENVIRONMENT) private readonly environment: Leases,
  ) {}

  /** @param backMs step of the clock; earlier waits end early by it, scheduled messages stay exact @param since ms */
  async repair(backMs: number, isStopped: () => boolean = () => false, since = 0): Promise<void> {
    for (const { table, moments = [] } of this.rules) {
      for (const moment of moments) await this.repairColumn(table, this.repairOf(moment, backMs, since), isStopped);
    }
  }

  /** The database's clock, milliseconds since 1970. */
  async clock(): Promise<number> {
    const [row] = await this.dataSource.query<{ clock: string }[]>(`SELECT ${CLOCK} AS clock LIMIT 1`);
    return Number(row?.clock);
  }

  /** In key order, so that a run moves each row once and locks few at a time. */
  private async repairColumn(
    table: string,
    { column, isLate, right }: Repair,
    isStopped: () => boolean,
  ): Promise<void> {
    const key = await this.keyOf(table);
    for (let after: Key | null = null; !isStopped();) {
      const page = await this.page(table, key, isLate, after);
      const late = page.filter((row) => Number(row['late']) === 1).map(keyIn(key));
      for (let from = 0; from < late.length && !isStopped(); from += ROWS_A_STEP) {
        const some = late.slice(from, from + ROWS_A_STEP);
        await this.dataSource.query(
          again(`UPDATE ${table} SET ${column} = ${right.sql} WHERE (${isOneOf(key, some)}) AND ${isLate.sql}`),
          [...right.values, ...some.flat(), ...isLate.values],
        );
      }
      const last = page.at(-1);
      if (!last || page.length < ROWS_A_PAGE) return;
      after = keyIn(key)(last);
    }
  }

  /** The late rows of the next page. */
  private page(table: string, key: readonly string[], isLate: Sql, after: Key | null): Promise<Row[]> {
    const behind = after ? `WHERE ${isBehind(key)}` : '';
    return this.dataSource.query<Row[]>(
      `SELECT ${key.join(', ')}, ${isLate.sql} AS late FROM ${table} FORCE INDEX (PRIMARY) ${behind}
       ORDER BY ${key.join(', ')} LIMIT ${ROWS_A_PAGE}`,
      [...isLate.values, ...(after ? key.flatMap((_, index) => after.slice(0, index + 1)) : [])],
    );
  }

  private repairOf({ column, longest, notBefore = 'NULL' }: Moment, backMs: number, since: number): Repair {
    const most = `${NOW} + INTERVAL ? MICROSECOND`;
    if (longest !== undefined) {
      const ms = typeof longest === 'number' ? longest : this.environment[longest];
      const values = [ms * 1_000];
      return { column, isLate: { sql: `${column} > ${most}`, values }, right: { sql: most, values } };
    }
    const wanted = `COALESCE(${notBefore}, ${NOW})`;
    const from = `TIMESTAMP('1970-01-01') + INTERVAL ? MICROSECOND`;
    return {
      column,
      isLate: {
        sql: `${column} > GREATEST(${NOW}, ${wanted}, ${from})`,
        values: [Math.round(since * 1_000)],
      },
      right: {
        sql: `GREATEST(${NOW}, ${wanted}, ${column} - INTERVAL ? MICROSECOND)`,
        values: [Math.round(backMs * 1_000)],
      },
    };
  }

  private async keyOf(table: string): Promise<string[]> {
    const rows = await this.dataSource.query<{ name: string }[]>(
      `SELECT COLUMN_NAME AS name FROM information_schema.STATISTICS
       WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = ? AND INDEX_NAME = 'PRIMARY' ORDER BY SEQ_IN_INDEX LIMIT ${MOST_COLUMNS}`,
      [table],
    );
    return rows.map(({ name }) => name);
  }
}

const keyIn =
  (key: readonly string[]) =>
  (row: Row): Key =>
    key.map((column) => row[column]);

/** Not `(a, b) IN (…)` or `(a, b) > (…)`: MariaDB reads the whole index for them. */
const isOneOf = (key: readonly string[], keys: readonly Key[]): string =>
  keys.map(() => `(${key.map((column) => `${column} = ?`).join(' AND ')})`).join(' OR ');

const isBehind = (key: readonly string[]): string =>
  key
    .map((column, index) => [...key.slice(0, index).map((before) => `${before} = ?`), `${column} > ?`].join(' AND '))
    .map((part) => `(${part})`)
    .join(' OR ');

const AGAIN_MS = 5_000;
/** Statements end after 25 s, so transactions that were open at a step have ended by then. */
const LONGEST_TRANSACTION_MS = 30_000;
/** Shorter delays end by themselves, and cannot be distinguished from corrected waits. */
const LATE_MS = 150_000;

/** The clock before a step, milliseconds since 1970, and `performance.now()` at the step. */
interface Former {
  clock: number;
  at: number;
}

/** Corrects times after a step back of the clock, once for all processes; rows of open transactions follow after their end. */
@Injectable()
export class ClockKeeper implements BeforeApplicationShutdown {
  private readonly logger = new Logger(ClockKeeper.name);
  private readonly runs = new SingleRun((error) => {
    this.logger.warn({ err: safeError(error) }, 'moments could not be set right, trying again');
    this.later(AGAIN_MS);
  });
  protected readonly patienceMs: number = LONGEST_TRANSACTION_MS;
  private readonly timers = new Set<NodeJS.Timeout>();
  /** pending correction, milliseconds */
  private back = 0;
  /** steps whose open transactions have ended */
  private readonly over: Former[] = [];

  constructor(
    watch: DueWatch,
    private readonly gate: LeaderGate,
    private readonly moments: Moments,
  ) {
    this.runs.open();
    watch.onClockBack((step) => void this.begin(step));
  }

  async beforeApplicationShutdown(): Promise<void> {
    for (const timer of this.timers) clearTimeout(timer);
    await this.runs.stop();
  }

  private async begin({ back: backMs, clock, before }: ClockStep): Promise<void> {
    const former = { clock, at: performance.now() };
    if (!(await this.gate.isNext(CLOCK_BACK, before))) return;
    this.back += backMs;
    this.logger.warn({ milliseconds: Math.round(backMs) }, 'the clock of the database has gone back');
    this.later(this.patienceMs, () => this.over.push(former));
    await this.runs.request(() => this.repair());
  }

  private later(milliseconds: number, first?: () => void): void {
    if (this.runs.isStopped) return;
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      first?.();
      void this.runs.request(() => this.repair());
    }, milliseconds);
    this.timers.add(timer);
  }

  private async repair(): Promise<void> {
    const { back } = this;
    if (back > 0) await this.moments.repair(back, () => this.runs.isStopped);
    this.back -= back;
    for (let former = this.over[0]; former; former = this.over[0]) {
      await this.repairLate(former);
      this.over.shift();
    }
  }

  /** Corrects rows committed after a step with times from before: only the longest waits are otherwise so far ahead. */
  private async repairLate({ clock, at }: Former): Promise<void> {
    const back = clock + (performance.now() - at) - (await this.moments.clock());
    if (back <= LATE_MS) return;
    await this.moments.repair(back, () => this.runs.isStopped, clock - LONGEST_TRANSACTION_MS);
  }
}
