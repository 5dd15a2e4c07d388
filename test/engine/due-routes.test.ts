import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DueRoutes } from '../../src/modules/engine/state/due-routes.js';
import { dataSourceOptions } from '../../src/platform/database/index.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

const LANES = 3_000;
const CHANNELS = ['sms', 'unofficial', 'voice'];

describe('a search for routes over which something is due', () => {
  let database: TestDatabase;
  let dataSource: DataSource;

  beforeAll(async () => {
    database = await createTestDatabase();
    dataSource = await new DataSource(dataSourceOptions(database.url, 1)).initialize();
    const rows = Array.from({ length: LANES }, (_, index) => [index, 0, 'sms', 1 + (index % 3), 1, 1, 1, 1, 2, 0]);
    await dataSource.query(
      `INSERT INTO campaign_lanes (campaign_id, lane, channel, route_id, account_id, single, next_seq, intent_seq, end_seq, fence)
       VALUES ?`,
      [rows],
    );
    // Route 2 sleeps, and so does nearly all of route 3.
    await dataSource.query('UPDATE campaign_lanes SET wake_at = UTC_TIMESTAMP(3) WHERE route_id = 1');
    await dataSource.query("UPDATE campaign_lanes SET wake_at = '2100-01-01' WHERE route_id = 2");
    await dataSource.query('UPDATE campaign_lanes SET wake_at = UTC_TIMESTAMP(3) WHERE campaign_id = 2');
  });
  afterAll(async () => {
    await dataSource.destroy();
    await database.drop();
  });

  const reads = async (): Promise<number> => {
    const rows: { Value: string }[] = await dataSource.query("SHOW SESSION STATUS LIKE 'Handler_read_%'");
    return rows.reduce((sum, { Value }) => sum + Number(Value), 0);
  };
  const single = (channel: string, routeId: number) => ({ channel, routeId, single: true });

  it('names each of them, and reads a few rows a route, whatever waits there', async () => {
    const routes = new DueRoutes(dataSource);
    const wanted = [single('sms', 1), single('sms', 3)];
    expect(await routes.find(CHANNELS)).toEqual(wanted);
    const before = await reads();
    expect(await routes.find(CHANNELS)).toEqual(wanted);
    expect((await reads()) - before).toBeLessThan(100);
  });

  it('names the lane of each that has waited for longest, and whether somebody has it, as cheaply', async () => {
    const routes = new DueRoutes(dataSource);
    const set = (what: string, campaign: number): Promise<unknown> =>
      dataSource.query(`UPDATE campaign_lanes SET ${what} WHERE campaign_id = ?`, [campaign]);
    await set('wake_at = UTC_TIMESTAMP(3) - INTERVAL 50 SECOND', 3);
    await set('wake_at = UTC_TIMESTAMP(3) - INTERVAL 40 SECOND, stalled_since = UTC_TIMESTAMP(3)', 6);
    await routes.first(CHANNELS);
    const before = await reads();
    const [one, three, ...others] = await routes.first(CHANNELS);
    expect((await reads()) - before).toBeLessThan(100);
    expect(one).toMatchObject({ channel: 'sms', routeId: 1, isFree: true });
    expect(one?.waitedMs).toBeGreaterThanOrEqual(50_000);
    expect(three).toMatchObject({ channel: 'sms', routeId: 3, isFree: true });
    expect(three?.waitedMs).toBeLessThan(40_000);
    expect(others).toEqual([]);
    await set('lease_until = UTC_TIMESTAMP(3) + INTERVAL 1 HOUR', 3);
    expect((await routes.first(CHANNELS))[0]).toMatchObject({ routeId: 1, isFree: false });
    await set('wake_at = UTC_TIMESTAMP(3), lease_until = NULL', 3);
    expect((await routes.first(CHANNELS))[0]).toMatchObject({ routeId: 1, isFree: false }); // whose route is down
  });

  it('finds one that had no lane before, between the others and behind them', async () => {
    const routes = new DueRoutes(dataSource);
    await routes.find(CHANNELS);
    await dataSource.query(
      `UPDATE campaign_lanes SET route_id = IF(campaign_id = 4, 9, 7), channel = IF(campaign_id = 4, 'sms', 'voice'),
         single = 0, wake_at = UTC_TIMESTAMP(3) WHERE campaign_id IN (4, 7)`,
    );
    const found = await routes.find(CHANNELS);
    expect(found).toHaveLength(4);
    expect(found).toEqual(
      expect.arrayContaining([
        single('sms', 1),
        single('sms', 3),
        { channel: 'sms', routeId: 9, single: false },
        { channel: 'voice', routeId: 7, single: false },
      ]),
    );
    expect(await routes.find(['voice'])).toEqual([{ channel: 'voice', routeId: 7, single: false }]);
  });

  describe('of more routes than a look takes', () => {
    /** more than the routes of four looks */
    const ROUTES = 1_100;
    const BEHIND = 10_000;
    const last = BEHIND + ROUTES;
    let statements = 0;
    const counting = {
      query: <T>(sql: string, values?: unknown[]): Promise<T> => {
        statements += 1;
        return dataSource.query<T>(sql, values);
      },
    } as Pick<DataSource, 'query'>;
    const wake = (routeId: number, at: string): Promise<unknown> =>
      dataSource.query(`UPDATE campaign_lanes SET wake_at = ${at} WHERE channel = 'unofficial' AND route_id = ?`, [
        routeId,
      ]);

    beforeAll(async () => {
      const at = new Date('2100-01-01');
      const rows = Array.from({ length: 2 * ROUTES }, (_, index) => {
        const routeId = BEHIND + 1 + (index % ROUTES);
        return [LANES + index, 0, 'unofficial', routeId, 1, 0, 1, 1, 2, 0, at];
      });
      await dataSource.query(
        `INSERT INTO campaign_lanes (campaign_id, lane, channel, route_id, account_id, single, next_seq, intent_seq, end_seq, fence, wake_at)
         VALUES ?`,
        [rows],
      );
    });

    /** How many looks it takes to find the route, five rounds at the most. */
    const looksFor = async (routes: DueRoutes, routeId: number): Promise<number> => {
      for (let look = 1; look <= 25; look++) {
        const found = await routes.find(CHANNELS);
        if (found.some((route) => route.channel === 'unofficial' && route.routeId === routeId)) return look;
      }
      return Infinity;
    };

    it('comes to each of them within a round, by one statement a look', async () => {
      const routes = new DueRoutes(counting);
      await wake(last, 'UTC_TIMESTAMP(3)');
      expect(await looksFor(routes, last)).toBeLessThanOrEqual(5);
      await wake(last, "'2100-01-01'");
      await wake(BEHIND + 300, 'UTC_TIMESTAMP(3)');
      expect(await looksFor(routes, BEHIND + 300)).toBeLessThanOrEqual(5);
      await wake(BEHIND + 300, "'2100-01-01'");
      await wake(last - 1, 'UTC_TIMESTAMP(3)');
      statements = 0;
      const before = await reads();
      const looks = await looksFor(routes, last - 1);
      expect(looks).toBeLessThanOrEqual(5);
      expect(statements).toBe(looks);
      expect((await reads()) - before).toBeLessThan(looks * 1_500);
      await wake(last - 1, "'2100-01-01'");
    });

    it('tells monitors of each, and of none that is due no more', async () => {
      const routes = new DueRoutes(counting);
      await wake(last, 'UTC_TIMESTAMP(3) - INTERVAL 60 SECOND');
      await wake(BEHIND + 1, 'UTC_TIMESTAMP(3)');
      const ofMany = async (): Promise<number[]> =>
        (await routes.first(CHANNELS)).flatMap(({ channel, routeId }) => (channel === 'unofficial' ? [routeId] : []));
      for (let look = 0; look < 3; look++) await ofMany();
      for (let look = 0; look < 3; look++) {
        statements = 0;
        expect((await ofMany()).sort((a, b) => a - b)).toEqual([BEHIND + 1, last]);
        expect(statements).toBeLessThanOrEqual(3);
      }
      await wake(last, "'2100-01-01'");
      expect(await ofMany()).toEqual([BEHIND + 1]);
      await wake(BEHIND + 1, "'2100-01-01'");
    });

    it('forgets those that have no lane any more', async () => {
      const routes = new DueRoutes(counting);
      for (let look = 0; look < 10; look++) await routes.find(CHANNELS);
      await dataSource.query("DELETE FROM campaign_lanes WHERE channel = 'unofficial' AND route_id > ?", [BEHIND]);
      for (let look = 0; look < 100; look++) await routes.find(CHANNELS);
      const before = await reads();
      await routes.find(CHANNELS);
      expect((await reads()) - before).toBeLessThan(100);
    });
  });
});
