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
/** Read by one statement, of which few are late: tables are larger than what one statement may take its time for. */
const ROWS_A_PAGE = 5_000;
/** Of a key. */
const MOST_COLUMNS = 16;
const NOW = 'UTC_TIMESTAMP(3)';

type Key = readonly unknown[];
type Row = Record<string, unknown>;

/** SQL with the values of its question marks. */
interface Sql {
  sql: string;
  values: readonly unknown[];
}

/** Which rows of a column are set right, and to what. */
interface Repair {
  column: string;
  isLate: Sql;
  right: Sql;
}

/**
 * Sets right the moments that the clock of the database has made while it was ahead, table by table (docs/decisions/0003).
 * Any number of processes may do so side by side.
 */
@Injectable()
export class Moments {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    @Inject(TABLE_RULES) private readonly rules: readonly TableRule[],
    @Inject(ENVIRONMENT) private readonly environment: Leases,
  ) {}

  /**
   * @param backMs how far the clock has gone back. Waits of before it was ahead come so much too early, which no one
   * can tell from the row; those of scheduled messages stay exact
   * @param isStopped asked between two steps
   * @param since milliseconds since 1970: waits that end before it are left as they are
   */
  async repair(backMs: number, isStopped: () => boolean = () => false, since = 0): Promise<void> {
    for (const { table, moments = [] } of this.rules) {
      for (const moment of moments) await this.repairColumn(table, this.repairOf(moment, backMs, since), isStopped);
    }
  }

  /** What the clock of the database shows, milliseconds since 1970. */
  async clock(): Promise<number> {
    const [row] = await this.dataSource.query<{ clock: string }[]>(`SELECT ${CLOCK} AS clock LIMIT 1`);
    return Number(row?.clock);
  }

  /** By key from the first row to the last, so that a run moves a row once and few are locked at a time. */
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

  /** The next rows by key, with what is late among them. */
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

/** Not `(a, b) IN (…)`, nor `(a, b) > (…)`: MariaDB reads the whole index for them. */
const isOneOf = (key: readonly string[], keys: readonly Key[]): string =>
  keys.map(() => `(${key.map((column) => `${column} = ?`).join(' AND ')})`).join(' OR ');

const isBehind = (key: readonly string[]): string =>
  key
    .map((column, index) => [...key.slice(0, index).map((before) => `${before} = ?`), `${column} > ?`].join(' AND '))
    .map((part) => `(${part})`)
    .join(' OR ');

const AGAIN_MS = 5_000;
/** A statement is ended after 25 s, and no transaction has two that long: what was under way at a step is committed by then. */
const LONGEST_TRANSACTION_MS = 30_000;
/** What is late by no more comes by itself: among waits of so long one that was set right already cannot be told. */
const LATE_MS = 150_000;

/** What the clock showed just before a step back, milliseconds since 1970, and when that was by `performance.now()`. */
interface Former {
  clock: number;
  at: number;
}

/**
 * Sets moments right whenever the clock of the database goes back. The first process that sees a step does so for all of
 * them: a second time would end waits too early by as much again. What a transaction that was under way has committed after
 * that is set right when all of those are over.
 */
@Injectable()
export class ClockKeeper implements BeforeApplicationShutdown {
  private readonly logger = new Logger(ClockKeeper.name);
  private readonly runs = new SingleRun((error) => {
    this.logger.warn({ err: safeError(error) }, 'moments could not be set right, trying again');
    this.later(AGAIN_MS);
  });
  protected readonly patienceMs: number = LONGEST_TRANSACTION_MS;
  private readonly timers = new Set<NodeJS.Timeout>();
  /** what is still to be set right, milliseconds */
  private back = 0;
  /** steps behind which the transactions that were under way are over */
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

  /** What was committed after a step with moments of before it: but for the longest waits nothing else lies so far ahead. */
  private async repairLate({ clock, at }: Former): Promise<void> {
    const back = clock + (performance.now() - at) - (await this.moments.clock());
    if (back <= LATE_MS) return;
    await this.moments.repair(back, () => this.runs.isStopped, clock - LONGEST_TRANSACTION_MS);
  }
}
