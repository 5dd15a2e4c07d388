import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { now } from '../../kernel/clock.js';
import { addDays, type Asked, isPassing, LATER, missingDays, partitionsOf, startOfDay } from '../database/index.js';
import { rulesOf, type TableRule, type TableWith } from './table-rule.js';

/** A waiting table change blocks all statements behind it: try without waiting (MySQL's minimum: 1 s), and wait 1 s at last. */
const NO_WAIT = 'SET SESSION lock_wait_timeout = /*M! 0 * */ 1';
const LAST_WAIT = 'SET SESSION lock_wait_timeout = 1';
const TRIES_MS = 5_000;
const PAUSE_MS = 30;
/** Above any change: a table of thirty million rows must delete its file. */
const OWN_TIME = 'SET SESSION /*M! max_statement_time = 600, */ lock_wait_timeout = DEFAULT';
const AS_BEFORE = 'SET SESSION lock_wait_timeout = DEFAULT';

/** Changes a table beside the service. Fails if transactions hold it for 5 s. @param change one repeatable statement */
export async function changeTable(dataSource: DataSource, change: (db: Asked) => Promise<void>): Promise<void> {
  const runner = dataSource.createQueryRunner();
  const [time] = (await runner.query('SELECT /*M! @@SESSION.max_statement_time AS seconds, */ 1 AS one LIMIT 1')) as {
    seconds?: string;
  }[];
  try {
    await runner.query(OWN_TIME);
    await runner.query(NO_WAIT);
    const until = performance.now() + TRIES_MS;
    while (!(await takes(runner, change))) {
      if (performance.now() > until) {
        await runner.query(LAST_WAIT);
        await change(runner);
        return;
      }
      await sleep(PAUSE_MS * (0.5 + Math.random()));
    }
  } finally {
    await runner
      .query(AS_BEFORE)
      .then(() => time?.seconds && runner.query('SET SESSION max_statement_time = ?', [Number(time.seconds)]))
      .finally(() => runner.release());
  }
}

/** @returns false when the table is in use */
async function takes(db: Asked, change: (db: Asked) => Promise<void>): Promise<boolean> {
  try {
    await change(db);
    return true;
  } catch (error) {
    if (isPassing(error)) return false;
    throw error;
  }
}

export const TABLE_RULES = Symbol('TABLE_RULES');
/** Days ahead with a partition: all workers may be away for that long. */
const DAYS_AHEAD = 7;
/** Rows copied at most while the service runs: about a second without writes. */
const MOST_COPIED = 100_000;

/** Makes partitions for future days. Safe in several processes at once. */
@Injectable()
export class DayMaker {
  private readonly logger = new Logger(DayMaker.name);

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    @Inject(TABLE_RULES) private readonly rules: readonly TableRule[],
  ) {}

  /** @param mostCopied with more rows in the last partition a table is skipped, which is slower, until `prepare` copies them */
  async makeDays(mostCopied = MOST_COPIED, ahead = DAYS_AHEAD, today = startOfDay(now())): Promise<void> {
    for (const rule of rulesOf(this.rules, 'days')) await this.makeDaysOf(rule, mostCopied, ahead, today);
  }

  private async makeDaysOf(
    { table, bound }: TableWith<'days'>,
    mostCopied: number,
    ahead: number,
    today: Date,
  ): Promise<void> {
    const missing = async () => missingDays(await partitionsOf(this.dataSource, table), today, ahead);
    const days = await missing();
    if (days.length === 0) return;
    if (await this.hasMore(table, mostCopied)) {
      this.logger.warn({ table }, 'days could not be made beside the service: docs/operate/tables.md#days');
      return;
    }
    try {
      await changeTable(this.dataSource, (db) => addDays(db, table, bound, days));
    } catch (error) {
      if ((await missing()).length > 0) throw error; // otherwise another process was faster
    }
  }

  private async hasMore(table: string, most: number): Promise<boolean> {
    if (!Number.isFinite(most)) return false;
    const beyond: unknown[] = await this.dataSource.query(
      `SELECT 1 FROM ${table} PARTITION (${LATER}) LIMIT 1 OFFSET ${most}`,
    );
    return beyond.length > 0;
  }
}
