import { DataSource, type EntityManager } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LedgerClosings } from '../../src/modules/credits/ledger.store.js';
import {
  GetLedgerOpeningHandler,
  GetLedgerOpeningQuery,
  ProveCreditsHandler,
  ProveCreditsQuery,
} from '../../src/modules/credits/credits.queries.js';
import type { LaneSnapshot } from '../../src/modules/engine/lanes.js';
import { beginRetries, begunRetries, HAS_BEGUN_RETRIES, RetryStore } from '../../src/modules/engine/state/retries.js';
import { ScheduledMessageStore } from '../../src/modules/session-messages/scheduled-messages.store.js';
import { EndpointHealths } from '../../src/modules/webhooks/endpoint-health.store.js';
import type { Environment } from '../../src/platform/config/index.js';
import { dataSourceOptions, inTransaction, jsonRows, ReadDatabase } from '../../src/platform/database/index.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { RouteQueues } from '../../src/modules/engine/state/route-queues.js';

const CAMPAIGN = 7;
const WAITING = 12_000;
const NUMBERS = "JSON_TABLE(?, '$[*]' COLUMNS (n INT PATH '$')) j";

const lane = { campaignId: CAMPAIGN, lane: 0, fence: 40, ownSenders: false, sender: null } as LaneSnapshot;

describe('statements read what they answer, however many rows wait', () => {
  let database: TestDatabase;
  /** of one connection, whose counters are read */
  let source: DataSource;

  beforeAll(async () => {
    database = await createTestDatabase();
    source = await new DataSource(dataSourceOptions(database.url, 1)).initialize();
  });
  afterAll(async () => {
    await source.destroy();
    await database.drop();
  });

  const numbers = (count: number): unknown => jsonRows(Array.from({ length: count }, (_, index) => index + 1));
  /** How many rows the server reads for this work. */
  const rowsRead = async (
    work: () => Promise<unknown>,
    asked: Pick<EntityManager, 'query'> = source,
  ): Promise<number> => {
    const soFar = async (): Promise<number> => {
      const rows = await asked.query<{ Value: string }[]>("SHOW SESSION STATUS LIKE 'Handler\\_read\\_%'");
      return rows.reduce((sum, { Value }) => sum + Number(Value), 0);
    };
    const before = await soFar();
    await work();
    return (await soFar()) - before;
  };

  describe('of retries', () => {
    beforeAll(async () => {
      await source.query(
        `INSERT INTO campaign_lanes (campaign_id, lane, channel, route_id, account_id, single, next_seq, intent_seq, end_seq, fence)
         VALUES (?, 0, 'sms', 1, 1, 0, 1, 1, 2, 40)`,
        [CAMPAIGN],
      );
      await source.query(
        `INSERT INTO campaign_recipients (campaign_id, seq, receiver, status, attempts, updated_at)
         SELECT ?, j.n, 919800000000 + j.n, 0, 1, UTC_TIMESTAMP(3) FROM ${NUMBERS}`,
        [CAMPAIGN, numbers(WAITING)],
      );
      await source.query(
        `INSERT INTO recipient_retries (campaign_id, seq, lane, due_at, attempt)
         SELECT ?, j.n, 0, UTC_TIMESTAMP(3) - INTERVAL j.n SECOND, 1 FROM ${NUMBERS}`,
        [CAMPAIGN, numbers(WAITING)],
      );
    });

    const hasBegun = async (): Promise<boolean> => {
      const [row] = await source.query<{ begun: string }[]>(
        `SELECT ${HAS_BEGUN_RETRIES} AS begun FROM campaign_lanes l WHERE l.campaign_id = ? AND l.lane = 0`,
        [CAMPAIGN],
      );
      return Number(row?.begun) === 1;
    };

    it('whether one was begun, as moves, failover and lost claims ask', async () => {
      expect(await rowsRead(async () => expect(await hasBegun()).toBe(false))).toBeLessThan(50);
    });

    it('a turn begins, reads and drops its own', async () => {
      await inTransaction(source, async (tx) => {
        expect(await rowsRead(() => beginRetries(tx, [lane], { most: 20, beforeDue: false }), tx)).toBeLessThan(300);
        const read = await rowsRead(async () => {
          const { recipients } = await begunRetries(tx, [lane], {});
          // those that have been due for longest
          expect(recipients.map(({ seq }) => seq)).toEqual(Array.from({ length: 20 }, (_, i) => WAITING - 19 + i));
        }, tx);
        expect(read).toBeLessThan(300);
      });
      expect(await rowsRead(async () => expect(await hasBegun()).toBe(true))).toBeLessThan(50);
      await inTransaction(source, async (tx) => {
        expect(await rowsRead(() => new RetryStore().dropBegun(tx, [lane]), tx)).toBeLessThan(300);
      });
      expect(await hasBegun()).toBe(false);
    });
  });

  it('of session messages that are due', async () => {
    const due = 6_000;
    await source.query(
      `INSERT INTO session_messages (id, account_id, route_id, receiver, content, status, due_at, created_at, updated_at, scheduled)
       SELECT j.n, 1, 1 + j.n % 20, 'receiver', '{}', 0, UTC_TIMESTAMP(3) - INTERVAL j.n SECOND, UTC_TIMESTAMP(3), UTC_TIMESTAMP(3), 1
       FROM ${NUMBERS}`,
      [numbers(due)],
    );
    await source.query(
      `INSERT INTO session_messages (id, account_id, route_id, receiver, content, status, due_at, created_at, updated_at)
       SELECT ${due} + j.n, 1, 1 + j.n % 20, 'receiver', '{}', 1, NULL, UTC_TIMESTAMP(3), UTC_TIMESTAMP(3) FROM ${NUMBERS}`,
      [numbers(3_000)],
    );
    await source.query('ANALYZE TABLE session_messages');
    // a claim tells nobody and counts nothing
    const store = new ScheduledMessageStore(
      ...([source] as unknown as ConstructorParameters<typeof ScheduledMessageStore>),
    );
    const read = await rowsRead(async () => {
      expect(await store.claim({ most: 10, mostOfOne: 10, except: [1] })).toHaveLength(10);
    });
    // 5,000 are looked at; to rank them, MySQL reads each three times, and MariaDB eight times
    const [server] = await source.query<{ version: string }[]>('SELECT VERSION() AS version');
    expect(read).toBeLessThan(/mariadb/i.test(server?.version ?? '') ? 42_000 : 17_000);
  });

  it('of receipts without a message, the latest', async () => {
    await source.query(
      `INSERT INTO parked_receipts (id, route_id, provider_message_id, receipt, received_at)
       SELECT j.n, 1 + j.n % 2, CONCAT('m', j.n), '{}', UTC_TIMESTAMP(3) - INTERVAL j.n SECOND FROM ${NUMBERS}`,
      [numbers(WAITING)],
    );
    await source.query('ANALYZE TABLE parked_receipts');
    const read = await rowsRead(async () => {
      const counts = await new RouteQueues({ LANE_LEASE: 30_000 } as Environment, source).unmatchedReceipts(0, 6_000);
      expect([...counts.values()]).toEqual([3_000, 3_000]);
    });
    expect(read).toBeLessThan(24_500);
  });

  it('of an endpoint, for which much waits', async () => {
    await source.query(
      `INSERT INTO webhook_endpoints (id, account_id, url, events, status, secret, fence, created_at, updated_at)
       VALUES (1, 1, 'https://example.com', '', 'active', '', 0, UTC_TIMESTAMP(3), UTC_TIMESTAMP(3))`,
    );
    await source.query(
      `INSERT INTO webhook_deliveries (endpoint_id, event_id, due_at, tries, attempts, revision)
       SELECT 1, LPAD(j.n, 20, '0'), UTC_TIMESTAMP(3), 0, 0, 0 FROM ${NUMBERS}`,
      [numbers(WAITING)],
    );
    await source.query(
      `INSERT INTO webhook_counters (endpoint_id, period, tries, failed, last_success_at)
       SELECT 1, UTC_TIMESTAMP() - INTERVAL j.n HOUR, 1, 0, UTC_TIMESTAMP(3) FROM ${NUMBERS}`,
      [numbers(WAITING)],
    );
    const healths = new EndpointHealths(source, new ReadDatabase(source, {} as Environment));
    const read = await rowsRead(async () => {
      const [health] = await healths.of([1]);
      expect(health).toMatchObject({ waiting: 1_000, lastDay: { failed: 0 } });
      expect(health?.lastSuccessAt).not.toBeNull();
    });
    // of what waits, 1,000 are counted
    expect(read).toBeLessThan(2_500);
  });

  it('of balances with many closed months', async () => {
    const months = 240;
    await source.query(
      `INSERT INTO credit_balances (account_id, balance, available) VALUES (1, 'gsm_credits', ?), (1, 'voice_credits', ?)`,
      [months, months],
    );
    await source.query(
      `INSERT INTO credit_months (month, after_id, last_id, closed_id, removed)
       SELECT '2005-01-01' + INTERVAL j.n MONTH, 0, 0, 0, 1 FROM ${NUMBERS}`,
      [numbers(months)],
    );
    for (const account of [1, 2, 3, 4]) {
      await source.query(
        `INSERT INTO credit_closings (account_id, balance, month, entries, moved, charged, refunded, closing)
         SELECT ?, b.balance, '2005-01-01' + INTERVAL j.n MONTH, 1, 1, 0, 0, j.n FROM ${NUMBERS}
         JOIN (SELECT 'gsm_credits' AS balance UNION ALL SELECT 'voice_credits') b`,
        [account, numbers(months)],
      );
    }
    const opening = await rowsRead(async () => {
      const answer = await new GetLedgerOpeningHandler(source).execute(new GetLedgerOpeningQuery(1, 'gsm_credits'));
      expect(answer).toMatchObject([{ balance: 'gsm_credits', available: months, until: '2025-01-31' }]);
    });
    expect(opening).toBeLessThan(50);
    const proof = await rowsRead(async () => {
      const answer = await new ProveCreditsHandler(source).execute(new ProveCreditsQuery(1));
      expect(answer.filter(({ ledger }) => Number(ledger) === months)).toHaveLength(2);
    });
    // it adds up what was charged and refunded in each of them, once
    expect(proof).toBeLessThan(4 * months);
  });

  it('of a month of the ledger that is closed, by its entries alone', async () => {
    const [entries, accounts] = [3_000, 50];
    const write = (count: number, at: string): Promise<unknown> =>
      source.query(
        `INSERT INTO credit_ledger (account_id, balance, amount, available, kind, created_at)
         SELECT 100 + j.n % ${accounts}, 'gsm_credits', 1, 0, 'grant', ? FROM ${NUMBERS}`,
        [at, numbers(count)],
      );
    const close = async (): Promise<number> => {
      const read = await rowsRead(() => new LedgerClosings(source, { RETENTION_DAYS: 0 }).close());
      const [row] = await source.query<{ moved: string }[]>(
        'SELECT SUM(moved) AS moved FROM credit_closings WHERE month = (SELECT MAX(month) FROM credit_months) AND account_id < 1000',
      );
      closed.push(Number(row?.moved));
      return read;
    };
    const closed: number[] = [];
    await write(entries, '2025-02-10');
    const alone = await close();
    expect(alone).toBeGreaterThan(entries);
    // earlier months of the same accounts, the same month of others, and a month that is not over
    for (const place of [
      `100 + j.n % ${accounts}, '1980-01-01' + INTERVAL j.n DIV ${accounts} MONTH`,
      "1000 + j.n, '2025-02-01'",
    ]) {
      await source.query(
        `INSERT INTO credit_closings (account_id, month, balance, entries, moved, charged, refunded, closing)
         SELECT ${place}, 'gsm_credits', 1, 0, 0, 0, 0 FROM ${NUMBERS}`,
        [numbers(WAITING)],
      );
    }
    await write(entries, '2025-03-10');
    await write(4 * WAITING, '2099-01-10');
    await source.query('ANALYZE TABLE credit_ledger, credit_closings');
    const among = await close();
    expect(among).toBeLessThan(1.1 * alone);
    await source.query("DELETE FROM credit_ledger WHERE created_at > '2099-01-01'");
    await write(4 * entries, '2025-04-10');
    const larger = await close();
    expect(larger).toBeLessThan(4.5 * alone);
    expect(closed).toEqual([entries, entries, 4 * entries]);
  });
});
