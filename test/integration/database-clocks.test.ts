import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { DataSource } from 'typeorm';
import { newId } from '../../src/kernel/ids.js';
import { CampaignAcceptance } from '../../src/modules/engine/index.js';
import { RoutePace } from '../../src/modules/engine/dispatch/route-pace.js';
import type { Route } from '../../src/modules/providers/index.js';
import { dataSourceOptions, inTransaction } from '../../src/platform/database/index.js';
import { numbers } from '../support/client.js';
import { type Engine, startEngine } from '../support/engine.js';
import { dueNow } from '../support/lane-worker.js';

const HOUR_MS = 3_600_000;

describe('clocks that differ, or step', () => {
  let engine: Engine;
  /** one connection, whose session has a clock of its own */
  let stepping: DataSource;

  beforeAll(async () => {
    engine = await startEngine();
    stepping = new DataSource(dataSourceOptions(engine.database.url, 1));
    await stepping.initialize();
  });
  afterEach(() => void vi.useRealTimers());
  afterAll(async () => {
    await stepping.destroy();
    await engine.stop();
  });

  const pacedRoute = async (name: string, messagesPerSecond: number): Promise<Route> => {
    await stepping.query(
      `INSERT INTO routes (name, channel, driver, config, messages_per_second, callback_secret, pace_us, created_at, updated_at)
       VALUES (?, 'sms', 'smpp', '', ?, 'x', 0, UTC_TIMESTAMP(3), UTC_TIMESTAMP(3))`,
      [name, messagesPerSecond],
    );
    const [row] = await stepping.query<{ id: number }[]>('SELECT id FROM routes WHERE name = ?', [name]);
    return { id: row!.id, messagesPerSecond } as Route;
  };

  it('a step back of the database by an hour holds no route up', async () => {
    const pace = new RoutePace(stepping);
    const route = await pacedRoute('stepped', 100);
    await stepping.query('SET SESSION timestamp = UNIX_TIMESTAMP() + 3600');
    expect(await pace.reserve(route, 100)).toBe(0);
    await stepping.query('SET SESSION timestamp = DEFAULT');
    expect(await pace.reserve(route, 50)).toBe(0);
    // From here on it is paced as ever: half a second is booked.
    const next = await pace.reserve(route, 50);
    expect(next).toBeGreaterThan(300);
    expect(next).toBeLessThanOrEqual(500);
  });

  it('a route that is booked up to its horizon is not taken for a step back', async () => {
    const pace = new RoutePace(stepping);
    const route = await pacedRoute('busy', 1);
    // The session's clock stands still, so that every booking lies where it was put.
    await stepping.query('SET SESSION timestamp = UNIX_TIMESTAMP()');
    expect(await pace.reserve(route, 1)).toBe(0);
    expect(await pace.reserve(route, 1)).toBe(1_000);
    expect(await pace.reserve(route, 1)).toBeNull();
    await stepping.query('SET SESSION timestamp = DEFAULT');
  });

  it('a campaign is due at once by the clock of the database, whatever the clock of the API says', async () => {
    const accountId = await engine.account('ahead', 10);
    const acceptance = engine.module.get(CampaignAcceptance, { strict: false });
    for (const offset of [HOUR_MS, -HOUR_MS]) {
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + offset });
      const { id } = await acceptance.accept(engine.draft(accountId, numbers(3)));
      vi.useRealTimers();
      expect(await dueNow(stepping)).toContain(id);
      const [row] = await stepping.query<{ off: number }[]>(
        `SELECT GREATEST(ABS(TIMESTAMPDIFF(SECOND, c.created_at, UTC_TIMESTAMP())),
           (SELECT MAX(ABS(TIMESTAMPDIFF(SECOND, r.updated_at, UTC_TIMESTAMP()))) FROM campaign_recipients r
            WHERE r.campaign_id = c.id)) AS off FROM campaigns c WHERE c.id = ?`,
        [id],
      );
      expect(Number(row?.off)).toBeLessThan(60);
    }
  });

  it('an id that another process has just taken costs another attempt; any other duplicate is told', async () => {
    const dataSource = engine.module.get(DataSource);
    const insert = (source: Pick<DataSource, 'query'>, id: number): Promise<unknown> =>
      source.query(
        `INSERT INTO parked_receipts (id, route_id, provider_message_id, receipt, received_at)
         VALUES (?, 1, 'x', '{}', UTC_TIMESTAMP(3))`,
        [id],
      );
    const taken = newId();
    await insert(dataSource, taken);
    let attempts = 0;
    await inTransaction(dataSource, (tx) => insert(tx, ++attempts === 1 ? taken : newId()));
    expect(attempts).toBe(2);
    await insert(dataSource, 42);
    let tries = 0;
    const again = inTransaction(dataSource, (tx) => insert(tx, (tries++, 42)));
    await expect(again).rejects.toThrow('Duplicate entry');
    expect(tries).toBe(1);
  });
});
