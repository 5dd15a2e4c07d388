import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { QueryRunner } from 'typeorm';
import { prepareMarks, ResumedMigration } from '../../src/apps/api/first-start/resumed-migration.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { undoFrom } from '../support/migrations.js';

/** The first migration that changes tables with data in steps. */
const FIRST = 1_700_000_014_000;
const DAY_MS = 86_400_000;
const idOfDay = (day: number): number => 4096 * DAY_MS * day;

class BrokenOff extends Error {}

/** The same runner, for so many statements: the process dies after the last of them. */
function dying(runner: QueryRunner, statements: number): QueryRunner {
  let left = statements;
  return new Proxy(runner, {
    get: (target, name) => {
      if (name !== 'query') {
        const value: unknown = Reflect.get(target, name);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      }
      return async (sql: string, values?: unknown[]): Promise<unknown> => {
        const answer: unknown = await target.query(sql, values);
        if (--left === 0) throw new BrokenOff();
        return answer;
      };
    },
  });
}

describe('migrations that were broken off after every one of their statements', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createTestDatabase();
    await undoFrom(database, FIRST);
  });
  afterAll(() => database.drop());

  const insert = (table: string, row: Record<string, unknown>): Promise<unknown> =>
    database.dataSource.query(`INSERT INTO ${table} (${Object.keys(row).join(', ')}) VALUES (?)`, [Object.values(row)]);

  async function storeCampaign(id: number, over: Record<string, unknown> = {}): Promise<void> {
    await insert('campaigns', {
      id,
      account_id: 1,
      request_id: `OLD_${id}`,
      channel: 'sms',
      state: 'running',
      broadcast_name: 'old',
      service: 'main',
      route_id: 7,
      content: '{}',
      balance: 'gsm_credits',
      unit_credits: 2,
      total_rows: 3,
      unsettled: 2,
      refunded_credits: 0,
      created_at: new Date(Date.UTC(2024, 0, 1) + id / 4096),
      ...over,
    });
    for (const seq of [1, 2, 3]) {
      await insert('campaign_recipients', {
        campaign_id: id,
        seq,
        receiver: `91999999999${seq}`,
        status: seq === 1 ? 6 : 0,
        attempts: 1,
        updated_at: new Date(),
      });
    }
    await insert('campaign_counters', { campaign_id: id, status: 6, recipients: 1 });
    await insert('campaign_counters', { campaign_id: id, status: 0, recipients: 2 });
    await insert('provider_messages', {
      campaign_id: id,
      seq: 1,
      item: 0,
      route_id: 7,
      provider_message_id: `id-${id}`,
      items: 1,
      status: 6,
      submitted_at: null,
    });
  }

  it('go on by themselves, with rows that are there', async () => {
    const { dataSource } = database;
    await storeCampaign(idOfDay(10));
    await storeCampaign(idOfDay(20), { scheduled_at: '2024-02-20 10:00:00', total_rows: 6_000 });
    await insert('campaign_lanes', {
      campaign_id: idOfDay(10),
      lane: 0,
      channel: 'sms',
      next_seq: 2,
      intent_seq: 2,
      end_seq: 4,
      fence: 1,
      wake_at: new Date(),
    });
    const runner = dataSource.createQueryRunner();
    let deaths = 0;
    for (const migration of dataSource.migrations.filter((one) => Number(one.constructor.name.slice(-13)) >= FIRST)) {
      for (let statements = 1; ; statements++) {
        try {
          await migration.up(dying(runner, statements));
          break;
        } catch (error) {
          if (!(error instanceof BrokenOff)) throw error;
          deaths++;
        }
      }
      await migration.up(runner); // it had ended, and was not noted
    }
    await runner.release();
    expect(deaths).toBeGreaterThan(20);
    expect((await dataSource.driver.createSchemaBuilder().log()).upQueries).toEqual([]);

    const sentOn = await dataSource.query(
      "SELECT campaign_id DIV ? AS day, DATE_FORMAT(sent_on, '%Y-%m-%d') AS sentOn FROM provider_messages ORDER BY 1",
      [idOfDay(1)],
    );
    expect(sentOn).toEqual([
      { day: 10, sentOn: '2024-01-11' },
      { day: 20, sentOn: '2024-02-20' },
    ]);
    const campaigns = await dataSource.query(
      `SELECT charged_credits AS charged, open_lanes AS openLanes,
       (SELECT CAST(SUM(k.recipients) AS SIGNED) FROM campaign_counters k WHERE k.campaign_id = c.id) AS counted,
       (SELECT CAST(SUM(k.unsettled) AS SIGNED) FROM campaign_counters k WHERE k.campaign_id = c.id) AS unsettled
     FROM campaigns c ORDER BY id`,
    );
    expect(campaigns).toEqual([
      { charged: 6, openLanes: 1, counted: 3, unsettled: 2 },
      { charged: 12_000, openLanes: 1, counted: 3, unsettled: 2 },
    ]);
    const lanes = await dataSource.query(
      'SELECT route_id AS routeId, account_id AS accountId, single FROM campaign_lanes',
    );
    expect(lanes).toEqual([{ routeId: 7, accountId: 1, single: 0 }]);
  });

  it('go on from an empty database, as a first start that was killed again and again', async () => {
    const { dataSource } = database;
    const runner = dataSource.createQueryRunner();
    const tables = (await runner.query('SHOW TABLES')) as Record<string, string>[];
    await runner.query('SET foreign_key_checks = 0');
    for (const row of tables) await runner.query(`DROP TABLE ${Object.values(row)[0]}`);
    await runner.query('SET foreign_key_checks = 1');
    await prepareMarks(dataSource);
    const tries = async (migration: ResumedMigration, statements: number): Promise<boolean> => {
      await runner.startTransaction();
      try {
        await migration.up(dying(runner, statements));
        await runner.commitTransaction();
        return true;
      } catch (error) {
        if (!(error instanceof BrokenOff)) throw error;
        await runner.rollbackTransaction(); // as the server does with what was not committed
        return false;
      }
    };
    let deaths = 0;
    for (const migration of dataSource.migrations) {
      const resumed = new ResumedMigration(migration);
      for (let statements = 1; !(await tries(resumed, statements)); statements++) deaths++;
    }
    await runner.release();
    expect(deaths).toBeGreaterThan(200);
    expect((await dataSource.driver.createSchemaBuilder().log()).upQueries).toEqual([]);
  });

  it('take no table for their own that was there before they began', async () => {
    const { dataSource } = database;
    const runner = dataSource.createQueryRunner();
    const strange = new ResumedMigration({
      name: 'Strange1',
      up: (tx) => tx.query('CREATE TABLE campaigns (id INT)'),
      down: () => Promise.resolve(),
    });
    await expect(strange.up(runner)).rejects.toThrow('already exists');
    await runner.release();
  });
});
