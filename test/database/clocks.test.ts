import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { DataSource } from 'typeorm';
import { newId } from '../../src/kernel/ids.js';
import { CampaignAcceptance } from '../../src/modules/engine/index.js';
import { RoutePace } from '../../src/modules/engine/dispatch/pacing.js';
import { LaneStore } from '../../src/modules/engine/state/lane-store.js';
import { ALL_TABLES } from '../../src/modules/table-rules/index.js';
import type { Route } from '../../src/modules/providers/index.js';
import { dataSourceOptions, inTransaction } from '../../src/platform/database/index.js';
import { RedisLink } from '../../src/platform/redis/index.js';
import { CLOCK_BACK, type ClockStep, DueWatch, LeaderGate, Moments } from '../../src/platform/periodic/index.js';
import { ClockKeeper } from '../../src/platform/periodic/moments.js';
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

  const back = (): Promise<unknown> => stepping.query('SET SESSION timestamp = DEFAULT');
  const ahead = (seconds: number): Promise<unknown> =>
    stepping.query(`SET SESSION timestamp = UNIX_TIMESTAMP() + ${seconds}`);
  /** Long, so that a test that is held up sees the same. */
  const LEASES = { LANE_LEASE: 1_200_000, WEBHOOK_LEASE: 1_200_000 };
  /** Seconds from now until a moment of a campaign's row. */
  const secondsUntil = async (column: string, table: string, id: number): Promise<number> => {
    const [row] = await stepping.query<{ seconds: number }[]>(
      `SELECT TIMESTAMPDIFF(SECOND, UTC_TIMESTAMP(3), ${column}) AS seconds FROM ${table} WHERE campaign_id = ?`,
      [id],
    );
    return Number(row?.seconds);
  };

  it('what the clock made while it was ahead is due as it would have been; what was asked for stays', async () => {
    const accountId = await engine.account('stepped', 100);
    const acceptance = engine.module.get(CampaignAcceptance, { strict: false });
    const accept = async (fields = {}): Promise<number> =>
      (await acceptance.accept(engine.draft(accountId, numbers(3), fields))).id;
    const scheduledAt = new Date(Date.now() + 2 * HOUR_MS);
    const [held, waiting, scheduled] = [await accept(), await accept(), await accept({ scheduledAt })];
    await ahead(3_600);
    await stepping.query(
      'UPDATE campaign_lanes SET lease_until = UTC_TIMESTAMP(3) + INTERVAL 1200 SECOND, wake_at = UTC_TIMESTAMP(3) + INTERVAL 1200 SECOND WHERE campaign_id = ?',
      [held],
    );
    await stepping.query('UPDATE campaign_lanes SET wake_at = UTC_TIMESTAMP(3) + INTERVAL 1200 SECOND WHERE campaign_id = ?', [waiting]); // prettier-ignore
    await stepping.query(
      `INSERT INTO recipient_retries (campaign_id, seq, lane, due_at, attempt)
       SELECT campaign_id, 1, lane, wake_at, 2 FROM campaign_lanes WHERE campaign_id = ? LIMIT 1`,
      [waiting],
    );
    await back();
    const moments = new Moments(stepping, ALL_TABLES, LEASES);
    await moments.repair(HOUR_MS);
    expect(await secondsUntil('lease_until', 'campaign_lanes', held)).toBeLessThanOrEqual(1_200);
    // its holder, if it lives, still has it
    expect(await secondsUntil('lease_until', 'campaign_lanes', held)).toBeGreaterThan(600);
    const keys = (id: number) => [{ campaignId: id, lane: 1 }];
    expect(await engine.part(LaneStore).snapshots(keys(held))).toEqual([]);
    for (const [column, table] of [
      ['wake_at', 'campaign_lanes'],
      ['due_at', 'recipient_retries'],
    ] as const) {
      expect(await secondsUntil(column, table, waiting), table).toBeLessThanOrEqual(1_200);
      expect(await secondsUntil(column, table, waiting), table).toBeGreaterThan(600);
    }
    const [row] = await stepping.query<{ exact: number }[]>(
      `SELECT l.wake_at = c.scheduled_at AS exact FROM campaign_lanes l JOIN campaigns c ON c.id = l.campaign_id WHERE c.id = ?`,
      [scheduled],
    );
    expect(Number(row?.exact)).toBe(1);
  });

  /** A try of each recipient that is put off by 20 minutes while the clock is an hour ahead. */
  const putOff = async (campaignId: number, tries: number): Promise<void> => {
    await ahead(3_600);
    await stepping.query(
      `INSERT INTO recipient_retries (campaign_id, seq, lane, due_at, attempt)
       SELECT ?, j.seq, 1, UTC_TIMESTAMP(3) + INTERVAL 1200 SECOND, 2
       FROM JSON_TABLE(?, '$[*]' COLUMNS (seq INT PATH '$')) j`,
      [campaignId, JSON.stringify(Array.from({ length: tries }, (_, index) => index + 1))],
    );
    await back();
  };
  /** The earliest and the latest of them, seconds from now. */
  const putOffUntil = async (campaignId: number): Promise<number[]> => {
    const [row] = await stepping.query<{ first: string; last: string }[]>(
      `SELECT TIMESTAMPDIFF(SECOND, UTC_TIMESTAMP(3), MIN(due_at)) AS first,
         TIMESTAMPDIFF(SECOND, UTC_TIMESTAMP(3), MAX(due_at)) AS last FROM recipient_retries WHERE campaign_id = ?`,
      [campaignId],
    );
    return [Number(row?.first), Number(row?.last)];
  };

  it('is so in tables of several pages, for each row once', async () => {
    const id = newId();
    await putOff(id, 11_000);
    await new Moments(stepping, ALL_TABLES, LEASES).repair(HOUR_MS);
    const [first, last] = await putOffUntil(id);
    expect(first).toBeGreaterThan(600);
    expect(last).toBeLessThanOrEqual(1_200);
  });

  /** Keepers of so many processes, and what tells each of a step. */
  const keepersOf = (count: number, Keeper = ClockKeeper) => {
    const listeners: ((step: ClockStep) => void)[] = [];
    const watch = { onClockBack: (listen: (step: ClockStep) => void) => listeners.push(listen) } as unknown as DueWatch;
    const gate = engine.module.get(LeaderGate, { strict: false });
    const keepers = Array.from({ length: count }, () => new Keeper(watch, gate, new Moments(stepping, ALL_TABLES, LEASES))); // prettier-ignore
    const stop = () => Promise.all(keepers.map((keeper) => keeper.beforeApplicationShutdown()));
    return { listeners, seenTo: () => gate.seenTo(CLOCK_BACK), stop };
  };
  /** Back by an hour. */
  const step = (before: number | null): ClockStep => ({ back: HOUR_MS, clock: Date.now() + HOUR_MS, before });
  const repaired = (id: number) =>
    expect.poll(async () => (await putOffUntil(id))[1], { timeout: 20_000 }).toBeLessThanOrEqual(1_200);

  it('is done by one of the processes that have seen the step', async () => {
    const id = newId();
    await putOff(id, 3);
    const { listeners, seenTo, stop } = keepersOf(3);
    const before = await seenTo();
    for (const listen of listeners) listen(step(before));
    await repaired(id);
    await stop();
    expect((await putOffUntil(id))[0]).toBeGreaterThan(600);
  });

  it('is done again after a second step of the same size, whoever has seen the first', async () => {
    const { listeners, seenTo, stop } = keepersOf(2);
    for (const seesFirst of [0, 1, 1]) {
      const id = newId();
      await putOff(id, 3);
      const before = await seenTo();
      listeners[seesFirst]?.(step(before));
      await repaired(id);
      listeners[1 - seesFirst]?.(step(before));
    }
    await stop();
    expect(await seenTo()).toBe(4);
  });

  it('is done where Redis has lost its count, or is away', async () => {
    const { listeners, stop } = keepersOf(1);
    for (const before of [null, 4]) {
      const id = newId();
      await putOff(id, 3);
      await engine.module.get(RedisLink, { strict: false }).client.flushdb();
      listeners[0]?.(step(before));
      await repaired(id);
    }
    await stop();
  });

  it('is done of what was under way meanwhile, when that is over, and once of everything else', async () => {
    class Quick extends ClockKeeper {
      protected override readonly patienceMs = 10_000;
    }
    const { listeners, seenTo, stop } = keepersOf(1, Quick);
    const [before, late] = [newId(), newId()];
    await putOff(before, 3);
    const other = await new DataSource(dataSourceOptions(engine.database.url, 1)).initialize();
    await other.query('SET SESSION timestamp = UNIX_TIMESTAMP() + 3600');
    await other.query('START TRANSACTION');
    await other.query(
      'INSERT INTO recipient_retries (campaign_id, seq, lane, due_at, attempt) VALUES (?, 1, 1, UTC_TIMESTAMP(3) + INTERVAL 1200 SECOND, 2)',
      [late],
    );
    listeners[0]?.(step(await seenTo()));
    await repaired(before);
    await other.query('COMMIT');
    await other.destroy();
    expect((await putOffUntil(late))[0]).toBeGreaterThan(3_600);
    await repaired(late);
    await stop();
    for (const id of [before, late]) expect((await putOffUntil(id))[0]).toBeGreaterThan(600);
  });

  it('rules name columns that are there, of every kind of moment', async () => {
    // every statement of a repair runs; nothing is late
    await new Moments(stepping, ALL_TABLES, LEASES).repair(0);
    expect(ALL_TABLES.filter(({ moments }) => moments).map(({ table }) => table)).toContain('webhook_deliveries');
  });

  it('a step back is seen by the next look, and a step ahead is none', async () => {
    const gate = { isMine: () => Promise.resolve(true), seenTo: () => Promise.resolve(7) } as unknown as LeaderGate;
    const watch = new DueWatch(gate, stepping);
    const heard: number[] = [];
    const counts = new Set<number | null>();
    // the clock of such a session stands still meanwhile, which is a small step back
    const isStep = (ms: number): boolean => ms > HOUR_MS / 2;
    let looks = 0;
    watch.onClockBack(({ back: ms, before }) => {
      heard.push(ms);
      counts.add(before);
    });
    watch.register({
      name: 'looks',
      isDue: '1 = 1',
      work: () => Promise.resolve(void (looks += 1)),
      onFault: () => undefined,
    });
    watch.onApplicationBootstrap();
    const nextLook = async (): Promise<void> => {
      const before = looks;
      await expect.poll(() => looks, { timeout: 20_000 }).toBeGreaterThan(before + 1);
    };
    await nextLook();
    await ahead(3_600);
    await nextLook();
    expect(heard.filter(isStep)).toEqual([]);
    await back();
    await expect.poll(() => heard.filter(isStep).length, { timeout: 20_000 }).toBe(1);
    await watch.beforeApplicationShutdown();
    expect([...counts]).toEqual([7]);
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
