import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { now } from '../../kernel/clock.js';
import { firstIdAt } from '../../kernel/ids.js';
import { type Environment, ENVIRONMENT } from '../config/index.js';
import {
  again,
  daysAfter,
  inTransaction,
  partitionsOf,
  startOfDay,
  makeExchangeTable,
  leftExchangeTables,
  type WriteResult,
} from '../database/index.js';
import { LeaderGate, SharedTask } from './leader-tasks.js';
import { safeError } from '../observability/index.js';
import { changeTable, DayMaker, TABLE_RULES } from './day-maker.js';
import { rulesOf, type TableRule, type TableWith } from './table-rule.js';

const ROWS_A_STEP = 5_000;
const ROOTS_A_STEP = 500;
/** Surviving rows read per step, and maximum length of the `NOT IN`, which the optimizer turns into ranges. */
const SURVIVORS_A_STEP = 1_000;
/** A day with more survivors is left this long: most wait for a receipt, and then the whole day goes. */
const PATIENCE_DAYS = 7;
const DAY_MS = 86_400_000;

interface Day {
  name: string;
  /** whether its survivors may end soon */
  isYoung: boolean;
}

/** Deletes expired rows (docs/decisions/0022). Safe in several processes at once. */
@Injectable()
export class Retention {
  private readonly logger = new Logger(Retention.name);

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    @Inject(TABLE_RULES) private readonly rules: readonly TableRule[],
    @Inject(ENVIRONMENT)
    private readonly environment: Pick<Environment, 'RETENTION_DAYS'> & Partial<Pick<Environment, 'INBOUND_DAYS'>>,
  ) {}

  /** Deletes rows by age. @param isStopped checked between steps */
  async removeAged(isStopped: () => boolean = () => false): Promise<void> {
    const at = await this.earliest();
    for (const rule of rulesOf(this.rules, 'age')) await this.removeOld(rule, at, isStopped);
  }

  /** Deletes campaigns that ended before RETENTION_DAYS with their rows, then unneeded days. */
  async removeOver(isStopped: () => boolean = () => false): Promise<void> {
    const at = await this.earliest();
    const before = this.kept(at);
    if (before) for (const rule of rulesOf(this.rules, 'root')) await this.removeRoots(rule, before, isStopped);
    // A busy table must not block the others.
    const faults: unknown[] = [];
    for (const rule of rulesOf(this.rules, 'days')) {
      await this.removeDays(rule, at, isStopped).catch((error: unknown) => faults.push(error));
    }
    if (faults.length > 0) throw faults[0];
  }

  /** The earlier clock of host and database: deletions cannot be undone when a clock is corrected. */
  private async earliest(): Promise<Date> {
    const [row] = await this.dataSource.query<{ at: Date }[]>('SELECT UTC_TIMESTAMP(3) AS at LIMIT 1');
    return new Date(Math.min(now().getTime(), row?.at.getTime() ?? 0));
  }

  /** The time before which nothing is kept; null = everything is. */
  private kept(at: Date, most = Infinity, least = 0): Date | null {
    const days = Math.max(Math.min(this.environment.RETENTION_DAYS || Infinity, most), least);
    return Number.isFinite(days) ? daysAfter(startOfDay(at), -days) : null;
  }

  private async removeOld(rule: TableWith<'age'>, at: Date, isStopped: () => boolean): Promise<void> {
    const { table, column, valueAt = (moment: Date) => moment, onlyIf, keptMs, keptDays } = rule;
    const days = keptDays && this.environment[keptDays];
    const ms = days === undefined ? keptMs : days * DAY_MS;
    const before = ms === undefined ? this.kept(at) : new Date(at.getTime() - ms);
    if (!before) return;
    await this.inSteps(
      `DELETE FROM ${table} WHERE ${column} < ?${onlyIf ? ` AND ${onlyIf}` : ''} ORDER BY ${column}`,
      [valueAt(before), ...(onlyIf?.match(/\?/g) ?? []).map(() => before)],
      isStopped,
    );
  }

  private async removeRoots({ table, over }: TableWith<'root'>, before: Date, isStopped: () => boolean): Promise<void> {
    const followers = rulesOf(this.rules, 'follows').filter(({ root }) => root === table);
    for (let after = 0; !isStopped();) {
      const old: { id: number }[] = await this.dataSource.query(
        `SELECT id FROM ${table} WHERE id > ? AND id < ? ORDER BY id LIMIT ${ROOTS_A_STEP}`,
        [after, firstIdAt(before)],
      );
      const last = old.at(-1);
      if (!last) return;
      after = last.id;
      const remove = async (tx: EntityManager): Promise<void> => {
        const ids = old.map(({ id }) => id);
        const gone: { id: number }[] = await tx.query(
          `SELECT r.id FROM ${table} r WHERE r.id IN (?) AND ${over} FOR UPDATE`,
          [ids, before],
        );
        if (gone.length === 0) return;
        const theirs = [gone.map(({ id }) => id)];
        await tx.query(`DELETE FROM ${table} WHERE id IN (?)`, theirs);
        for (const follower of followers) {
          await tx.query(`DELETE FROM ${follower.table} WHERE ${follower.column} IN (?)`, theirs);
        }
      };
      await inTransaction(this.dataSource, remove, { again: 'who is gone is found no more' });
    }
  }

  private async removeDays(rule: TableWith<'days'>, at: Date, isStopped: () => boolean): Promise<void> {
    const before = this.kept(at, rule.mostDays, rule.leastDays);
    if (!before) return;
    for (const { name, day } of await partitionsOf(this.dataSource, rule.table)) {
      if (isStopped() || !day || daysAfter(day, 1) > before) return;
      try {
        await this.removeDay(rule, { name, isYoung: day >= daysAfter(before, -PATIENCE_DAYS) }, isStopped);
      } catch (error) {
        const left = await partitionsOf(this.dataSource, rule.table);
        if (left.some((partition) => partition.name === name)) throw error; // otherwise another process was faster
      }
    }
  }

  /** Drops a day without survivors at once, else deletes the other rows in bounded steps. */
  private async removeDay(rule: TableWith<'days'>, day: Day, isStopped: () => boolean): Promise<void> {
    for (let after = 0; !isStopped();) {
      const survivors = await this.survivors(rule, day.name, after);
      if (after === 0 && survivors.length === 0) {
        await this.drop(rule.table, day.name);
        this.logger.log({ table: rule.table, partition: day.name }, 'a day is gone');
        return;
      }
      const last = survivors.length === SURVIVORS_A_STEP ? survivors.at(-1) : undefined;
      if (last !== undefined && day.isYoung) return;
      await this.thin(rule, day.name, { after, last: last ?? Number.MAX_SAFE_INTEGER, survivors }, isStopped);
      if (last === undefined) return;
      after = last;
    }
  }

  /** Exchanges the day for an empty table, whose file is deleted separately: neither blocks the table (docs/decisions/0022). */
  private async drop(table: string, name: string): Promise<void> {
    for (const left of await leftExchangeTables(this.dataSource, table)) await this.remove(left);
    const exchange = await makeExchangeTable(this.dataSource, table);
    try {
      await this.change(`ALTER TABLE ${table} EXCHANGE PARTITION ${name} WITH TABLE ${exchange}`);
      await this.change(`ALTER TABLE ${table} DROP PARTITION ${name}`);
    } finally {
      await this.remove(exchange);
    }
  }

  private remove(table: string): Promise<void> {
    return this.change(`DROP TABLE IF EXISTS ${table}`);
  }

  private change(statement: string): Promise<void> {
    return changeTable(this.dataSource, async (db) => {
      await db.query(statement);
    });
  }

  /** The next existing root rows with rows in this partition, ascending. */
  private async survivors({ table, of }: TableWith<'days'>, name: string, after: number): Promise<number[]> {
    if (!of) return [];
    const rows: { id: number }[] = await this.dataSource.query(
      `SELECT r.id FROM ${of.root} r
       WHERE r.id > ? AND r.id BETWEEN (SELECT MIN(${of.column}) FROM ${table} PARTITION (${name}))
           AND (SELECT MAX(${of.column}) FROM ${table} PARTITION (${name}))
         AND (SELECT 1 FROM ${table} PARTITION (${name}) x WHERE x.${of.column} = r.id LIMIT 1) = 1
       ORDER BY r.id LIMIT ${SURVIVORS_A_STEP}`,
      [after],
    );
    return rows.map(({ id }) => id);
  }

  private async thin(
    { table, of }: TableWith<'days'>,
    name: string,
    { after, last, survivors }: { after: number; last: number; survivors: readonly number[] },
    isStopped: () => boolean,
  ): Promise<void> {
    if (!of) return;
    const others = survivors.length > 0 ? `AND ${of.column} NOT IN (?)` : '';
    await this.inSteps(
      `DELETE FROM ${table} PARTITION (${name}) WHERE ${of.column} > ? AND ${of.column} <= ? ${others}`,
      [after, last, ...(survivors.length > 0 ? [survivors] : [])],
      isStopped,
    );
  }

  private async inSteps(statement: string, values: readonly unknown[], isStopped: () => boolean): Promise<void> {
    while (!isStopped()) {
      const { affectedRows }: WriteResult = await this.dataSource.query(again(`${statement} LIMIT ${ROWS_A_STEP}`), [
        ...values,
      ]);
      if (affectedRows < ROWS_A_STEP) return;
    }
  }
}

const POLL_EVERY_MS = 10 * 60_000;

/** Every ten minutes in one worker: makes future partitions and deletes expired rows. At installation, `prepare` makes them. */
@Injectable()
export class TableKeeper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(TableKeeper.name);
  private readonly task: SharedTask;

  constructor(
    gate: LeaderGate,
    private readonly days: DayMaker,
    private readonly retention: Retention,
  ) {
    this.task = new SharedTask(gate, {
      name: 'tables',
      everyMs: POLL_EVERY_MS,
      work: () => this.poll(),
      onFault: () => undefined, // each task logs its faults
    });
  }

  onApplicationBootstrap(): void {
    this.task.start();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.task.stop();
  }

  private async poll(): Promise<void> {
    const isStopped = (): boolean => this.task.isStopped;
    await this.attempt('days could not be made, trying again', () => this.days.makeDays());
    await this.attempt('old rows could not be removed, trying again', () => this.retention.removeAged(isStopped));
    await this.attempt('old campaigns could not be removed, trying again', () => this.retention.removeOver(isStopped));
  }

  /** A failed task must not block the others. */
  private async attempt(fault: string, task: () => Promise<void>): Promise<void> {
    await task().catch((error: unknown) => this.logger.warn({ err: safeError(error) }, fault));
  }
}
