import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { firstIdAt } from '../../src/kernel/ids.js';
import { ALL_TABLES } from '../../src/modules/table-rules/index.js';
import { daysAfter, partitionsOf, startOfDay } from '../../src/platform/database/index.js';
import { DayMaker } from '../../src/platform/periodic/index.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

const RECIPIENTS = 'campaign_recipients';
const TODAY = startOfDay(new Date());

/** Partitions of days to come (docs/operate/tables.md). */
describe('days of the tables that grow', () => {
  let database: TestDatabase;
  let days: DayMaker;

  beforeEach(async () => {
    database = await createTestDatabase();
    days = new DayMaker(database.dataSource, ALL_TABLES);
  });
  afterEach(() => database.drop());

  const dailyTables = ALL_TABLES.filter(({ rule }) => rule === 'days').map(({ table }) => table);
  const lastDayOf = async (table: string): Promise<Date | null | undefined> =>
    (await partitionsOf(database.dataSource, table)).at(-2)?.day;
  const insert = (day: Date): Promise<unknown> =>
    database.dataSource.query(
      `INSERT INTO ${RECIPIENTS} (campaign_id, seq, receiver, status, attempts, updated_at)
       VALUES (?, 1, '919999999999', 0, 0, UTC_TIMESTAMP(3))`,
      [firstIdAt(day) + 1],
    );
  const rowsIn = async (partition: string): Promise<number> =>
    (await database.dataSource.query<unknown[]>(`SELECT 1 FROM ${RECIPIENTS} PARTITION (${partition})`)).length;

  it('are made ahead, once, for every table that is cut into days', async () => {
    await days.makeDays(0, 2);
    const made = await Promise.all(dailyTables.map(lastDayOf));
    expect(made).toEqual(dailyTables.map(() => daysAfter(TODAY, 2)));
    await days.makeDays(0, 2);
    expect(await partitionsOf(database.dataSource, RECIPIENTS)).toHaveLength(4);
  });

  it('are made once by two processes at the same moment', async () => {
    const other = new DayMaker(database.dataSource, ALL_TABLES);
    await Promise.all([days.makeDays(0, 1), other.makeDays(0, 1)]);
    expect(await partitionsOf(database.dataSource, RECIPIENTS)).toHaveLength(3);
  });

  it('take over the rows that came while nobody made any', async () => {
    const [missed, now] = [daysAfter(TODAY, 5), daysAfter(TODAY, 20)];
    await insert(missed);
    await insert(now);
    await days.makeDays(10, 1, now);
    const partitions = await partitionsOf(database.dataSource, RECIPIENTS);
    expect(partitions.map(({ day }) => day)).toEqual([TODAY, daysAfter(now, -1), now, daysAfter(now, 1), null]);
    expect(await Promise.all(partitions.map(({ name }) => rowsIn(name)))).toEqual([0, 1, 1, 0, 0]);
  });

  it('wait for the next start when too many rows would be copied beside the service', async () => {
    const now = daysAfter(TODAY, 20);
    await insert(now);
    await days.makeDays(0, 1, now);
    expect(await partitionsOf(database.dataSource, RECIPIENTS)).toHaveLength(2);
    await days.makeDays(Infinity, 1, now);
    expect(await lastDayOf(RECIPIENTS)).toEqual(daysAfter(now, 1));
  });

  it('are left for later when somebody holds the table, and nobody waits for long', async () => {
    const holder = database.dataSource.createQueryRunner();
    await holder.startTransaction();
    await holder.query(`SELECT 1 FROM ${RECIPIENTS} LIMIT 1`);
    await expect(days.makeDays(0, 1)).rejects.toThrow(/[Ll]ock wait timeout/);
    await holder.commitTransaction();
    await holder.release();
    await days.makeDays(0, 1);
    expect(await lastDayOf(RECIPIENTS)).toEqual(daysAfter(TODAY, 1));
    const [session] = await database.dataSource.query<{ patience: number }[]>('SELECT @@lock_wait_timeout AS patience');
    expect(session?.patience).toBeGreaterThan(1);
  });
});
