import { Inject, Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { now } from '../../kernel/clock.js';
import { addDays, LATER, missingDays, partitionsOf, startOfDay } from '../database/index.js';
import { changeTable } from './change-table.js';
import { rulesOf, type TableRule, type TableWith } from './table-rule.js';

/** The list of rules of the application. */
export const TABLE_RULES = Symbol('TABLE_RULES');
/** Days after today that have a partition: so long may every worker be away. */
export const DAYS_AHEAD = 7;
/** Rows in the last partition that are copied into days beside the service: about a second without writes. */
const MOST_COPIED = 100_000;

/** Makes the partitions of the days to come. Any number of processes may do so side by side. */
@Injectable()
export class DayMaker {
  private readonly logger = new Logger(DayMaker.name);

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    @Inject(TABLE_RULES) private readonly rules: readonly TableRule[],
  ) {}

  /**
   * @param mostCopied rows that lie in the partition of later days already (no worker was there for a week): with more
   * of them a table is left as it is, which costs speed and no row, until a start with `prepare` copies them
   */
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
      if ((await missing()).length > 0) throw error; // else another process was faster
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
