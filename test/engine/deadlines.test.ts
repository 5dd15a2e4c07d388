import { DataSource } from 'typeorm';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { RecipientStatus } from '../../src/modules/engine/index.js';
import { OverdueReceipts } from '../../src/modules/engine/receipts/overdue-receipts.js';
import { UnmatchedReceiptsMonitor } from '../../src/modules/engine/receipts/unmatched-store.js';
import { LeaderGate } from '../../src/platform/periodic/index.js';
import { RouteDirectory } from '../../src/modules/providers/index.js';
import { Metrics } from '../../src/platform/observability/index.js';
import { type Engine, startEngine } from '../support/engine.js';
import { UnmatchedReceipts } from '../../src/modules/engine/receipts/unmatched-receipts.js';
import { UnmatchedScan } from '../../src/modules/engine/receipts/receipt-sweeper.js';
import { messageKey } from '../../src/modules/engine/settle/message-ids.js';
import { RouteQueues } from '../../src/modules/engine/state/route-queues.js';

const CAMPAIGNS = 3_000;
const PARKED = 20_000;
const TIMEOUT_MS = 60_000;

let engine: Engine;
let dataSource: DataSource;

const get = <T>(type: abstract new (...parameters: never[]) => T): T => engine.module.get<T>(type, { strict: false });

beforeAll(async () => {
  engine = await startEngine();
  dataSource = get(DataSource);
  const accountId = await engine.account('singles', 0);
  await dataSource.query(
    `INSERT INTO campaigns (id, account_id, request_id, channel, state, broadcast_name, service, route_id, content, balance,
       unit_credits, total_rows, open_lanes, refunded_credits, overdue_check_at, created_at)
     SELECT seq, ?, CONCAT('SINGLE_', seq), 'sms', 'running', 'one', 'main', 1, '{"message":"Hello"}', 'gsm_credits',
       1, 1, 1, 0, UTC_TIMESTAMP(3) - INTERVAL 1 SECOND, UTC_TIMESTAMP(3) FROM (${numbersTo(CAMPAIGNS)}) n`,
    [accountId],
  );
  await dataSource.query(
    `INSERT INTO campaign_recipients (campaign_id, seq, receiver, status, attempts, updated_at)
     SELECT id, 1, CONCAT('4915', 100000000 + id), ?, 1, UTC_TIMESTAMP(3) - INTERVAL 61 SECOND FROM campaigns`,
    [RecipientStatus.Submitted],
  );
  await dataSource.query(
    'INSERT INTO campaign_counters (campaign_id, lane, status, recipients, unsettled) SELECT id, 0, ?, 1, 1 FROM campaigns',
    [RecipientStatus.Submitted],
  );
  const receipt = `CONCAT('{"providerMessageId":"nobodys-', seq, '","status":"delivered","errorCode":null,"errorText":null,"receiver":"4917', 100000000 + seq, '"}')`;
  await dataSource.query(
    `INSERT INTO parked_receipts (id, route_id, provider_message_id, receipt, received_at)
     SELECT seq, 1, CONCAT('nobodys-', seq), ${receipt}, UTC_TIMESTAMP(3) - INTERVAL 90 SECOND FROM (${numbersTo(PARKED)}) n`,
  );
});
afterAll(() => engine.stop());

/** 1 to `most`, by joining digits. */
function numbersTo(most: number): string {
  const digits =
    '(SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9)';
  const places = ['a', 'b', 'c', 'd5', 'e'];
  const sum = places.map((name, index) => `${name}.d * ${10 ** index}`).join(' + ');
  return `SELECT ${sum} + 1 AS seq FROM ${places.map((name) => `${digits} ${name}`).join(' CROSS JOIN ')} HAVING seq <= ${most}`;
}

/** How many statements the server ran for us meanwhile. */
async function statementsOf(work: () => Promise<void>): Promise<number> {
  const asked = async (): Promise<number> => {
    const [row] = await dataSource.query<{ Value: string }[]>("SHOW GLOBAL STATUS LIKE 'Questions'");
    return Number(row?.Value);
  };
  const before = await asked();
  await work();
  return (await asked()) - before;
}

it('fails everybody who is overdue in the first round, campaigns together', async () => {
  const overdue = engine.part(OverdueReceipts);
  const statements = await statementsOf(() => overdue.round(TIMEOUT_MS));
  const [row] = await dataSource.query<Record<string, unknown>[]>(
    `SELECT COUNT(*) AS failed, COUNT(DISTINCT c.id) AS completed FROM campaign_recipients r
     JOIN campaigns c ON c.id = r.campaign_id AND c.state = 'completed' AND c.open_lanes = 0
     WHERE r.status = ? AND r.error_message = 'No delivery receipt'`,
    [RecipientStatus.Failed],
  );
  expect([row?.['failed'], row?.['completed']].map(Number)).toEqual([CAMPAIGNS, CAMPAIGNS]);
  // The server is shared with other tests; one statement a campaign would be far more than this.
  expect(statements).toBeLessThan(CAMPAIGNS);
});

it('looks at large campaigns by themselves, so that no statement reads for longer than it may', async () => {
  const ids = [9_000_001, 9_000_002, 9_000_003, 9_000_004];
  await dataSource.query(
    `INSERT INTO campaigns (id, account_id, request_id, channel, state, broadcast_name, service, route_id, content, balance,
       unit_credits, total_rows, open_lanes, refunded_credits, overdue_check_at, created_at)
     SELECT c.id + j.id, c.account_id, CONCAT('LARGE_', j.id), c.channel, 'running', 'large', 'main', 1, c.content, c.balance,
       1, j.total, 1, 0, UTC_TIMESTAMP(3) - INTERVAL j.late SECOND, UTC_TIMESTAMP(3)
     FROM campaigns c JOIN (SELECT 9000000 AS id, 900000 AS total, 9 AS late UNION ALL SELECT 9000001, 200000, 8
       UNION ALL SELECT 9000002, 50000, 7 UNION ALL SELECT 9000003, 10, 6) j WHERE c.id = 1`,
  );
  const overdue = engine.part(OverdueReceipts);
  const looks = vi.spyOn(overdue, 'sweep');
  await overdue.round(TIMEOUT_MS);
  expect(looks.mock.calls.map(([campaigns]) => campaigns)).toEqual([ids.slice(0, 1), ids.slice(1, 3), ids.slice(3)]);
});

it('looks through receipts that nobody waits for in few statements, and counts them', async () => {
  const unmatched = engine.part(UnmatchedReceipts);
  const asked = await statementsOf(async () => void (await unmatched.sweep()));
  // the server is shared with other tests
  expect(asked).toBeLessThan(PARKED / 4);
  const [left] = await dataSource.query<{ total: string }[]>('SELECT COUNT(*) AS total FROM parked_receipts');
  expect(Number(left?.total)).toBe(PARKED);
  const metrics = new Metrics();
  await new UnmatchedReceiptsMonitor(get(RouteQueues), get(RouteDirectory), get(LeaderGate), metrics).poll();
  expect(await metrics.registry.metrics()).toContain(`switchboard_unmatched_receipts{route="1"} ${PARKED}`);
});

it('goes through many such receipts in passes that are over in time, each from where the last one ended', async () => {
  const receipt = { providerMessageId: 'taken', status: 'failed', errorCode: null, errorText: null, receiver: null };
  await dataSource.query(
    `INSERT INTO provider_messages (campaign_id, seq, item, route_id, provider_message_id, items, status, message_key)
     VALUES (1, 1, 0, 1, ?, 1, ?, ?)`,
    [receipt.providerMessageId, RecipientStatus.Submitted, messageKey(1, receipt.providerMessageId)],
  );
  await dataSource.query(
    'INSERT INTO parked_receipts (id, route_id, provider_message_id, receipt, received_at) VALUES (?, 1, ?, ?, UTC_TIMESTAMP(3) - INTERVAL 89 SECOND)',
    [PARKED + 1, receipt.providerMessageId, JSON.stringify(receipt)],
  );
  const scan = new UnmatchedScan(engine.part(UnmatchedReceipts), { sinceMs: null, longestMs: 0 });
  const asked: number[] = [];
  const isLeft = async (): Promise<boolean> =>
    (await dataSource.query<unknown[]>('SELECT 1 FROM parked_receipts WHERE id = ?', [PARKED + 1])).length > 0;
  while ((await isLeft()) && asked.length < 100) asked.push(await statementsOf(() => scan.pass()));
  expect(asked.length).toBeGreaterThan(PARKED / 2_000);
  expect(asked.length).toBeLessThan(100);
  // of a thousand receipts; the server is shared with other tests
  expect(asked.sort((a, b) => a - b)[Math.floor(asked.length / 2)]).toBeLessThan(100);
  // and from the beginning again
  await dataSource.query(
    'UPDATE provider_messages SET provider_message_id = ?, message_key = ? WHERE campaign_id = 1',
    ['nobodys-1', messageKey(1, 'nobodys-1')],
  );
  const first = async (): Promise<unknown[]> => dataSource.query('SELECT 1 FROM parked_receipts WHERE id = 1');
  for (let passes = 0; passes < 2 && (await first()).length > 0; passes++) await scan.pass();
  expect(await first()).toEqual([]);
});
