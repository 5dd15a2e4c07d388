import { afterAll, beforeAll, expect, it } from 'vitest';
import { RecipientStatus } from '../../src/modules/engine/index.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { undoFrom } from '../support/migrations.js';

const { Delivered, Failed, Pending, Submitted } = RecipientStatus;
const ID = { small: 4096 * 86_400_000, large: 4096 * 86_400_000 * 2, over: 4096 * 86_400_000 * 3 };
const TOTAL = 6_000;
const COUNTERS_BY_LANE = 1_700_000_014_400;

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const query = <Row>(sql: string, values?: unknown[]): Promise<Row[]> => database.dataSource.query<Row[]>(sql, values);

async function store(id: number, total: number, unsettled: number, statusOf: (seq: number) => string): Promise<void> {
  await query(
    `INSERT INTO campaigns (id, account_id, request_id, channel, state, broadcast_name, service, route_id, content, balance,
       unit_credits, charged_credits, total_rows, unsettled, refunded_credits, created_at)
     VALUES (?, 1, ?, 'sms', 'running', 'old', 'main', 1, '{}', 'gsm_credits', 1, ?, ?, ?, 0, UTC_TIMESTAMP(3))`,
    [id, `OLD_${id}`, total, total, unsettled],
  );
  const seqs = Array.from({ length: total }, (_, index) => index + 1);
  await query(
    `INSERT INTO campaign_recipients (campaign_id, seq, receiver, status, attempts, updated_at)
     SELECT ?, j.seq, j.seq, j.status, 1, UTC_TIMESTAMP(3) FROM JSON_TABLE(?, '$[*]' COLUMNS (
       seq INT PATH '$[0]', status INT PATH '$[1]')) j`,
    [id, JSON.stringify(seqs.map((seq) => [seq, statusOf(seq)]))],
  );
  await query(
    `INSERT INTO campaign_counters (campaign_id, status, recipients)
     SELECT campaign_id, status, COUNT(*) FROM campaign_recipients WHERE campaign_id = ? GROUP BY status`,
    [id],
  );
}

const counters = (id: number): Promise<unknown[]> =>
  query(
    'SELECT lane, status, recipients, unsettled FROM campaign_counters WHERE campaign_id = ? ORDER BY lane, status',
    [id],
  );

it('keeps every count and every carrier id, and counts what is under way by lane', async () => {
  await undoFrom(database, COUNTERS_BY_LANE);
  await store(ID.small, 3, 2, (seq) => String(seq === 1 ? Delivered : Submitted));
  await store(ID.large, TOTAL, TOTAL - 2_001, (seq) =>
    String(seq <= 2_000 ? Failed : seq === 2_001 ? Delivered : Pending),
  );
  await store(ID.over, 3_000, 0, () => String(Delivered));
  await query(
    `INSERT INTO provider_messages (campaign_id, seq, item, route_id, provider_message_id, items, status, submitted_at)
     VALUES (?, 1, 0, 1, 'old', 1, 1, NULL), (?, 2, 0, 1, 'new', 1, 1, '2026-05-01 23:59:59.999')`,
    [ID.small, ID.small],
  );
  await database.dataSource.runMigrations();
  const lanes = () => query<{ open_lanes: number }>('SELECT open_lanes FROM campaigns ORDER BY id');
  expect((await lanes()).map(({ open_lanes: open }) => open)).toEqual([1, 2, 0]);
  expect(await counters(ID.small)).toEqual([
    { lane: 0, status: Pending, recipients: 0, unsettled: 2 },
    { lane: 0, status: Submitted, recipients: 2, unsettled: 0 },
    { lane: 0, status: Delivered, recipients: 1, unsettled: 0 },
  ]);
  expect(await counters(ID.large)).toEqual([
    { lane: 0, status: Pending, recipients: 0, unsettled: 0 },
    { lane: 0, status: Failed, recipients: 2_000, unsettled: 0 },
    { lane: 1, status: Pending, recipients: 1_999, unsettled: 1_999 },
    { lane: 1, status: Delivered, recipients: 1, unsettled: 0 },
    { lane: 2, status: Pending, recipients: 2_000, unsettled: 2_000 },
  ]);
  expect(await counters(ID.over)).toEqual([{ lane: 0, status: Delivered, recipients: 3_000, unsettled: 0 }]);
  const messages = await query(
    "SELECT provider_message_id AS id, DATE_FORMAT(sent_on, '%Y-%m-%d') AS sentOn FROM provider_messages ORDER BY seq",
  );
  expect(messages).toEqual([
    { id: 'old', sentOn: '2024-01-02' },
    { id: 'new', sentOn: '2026-05-01' },
  ]);

  await undoFrom(database, COUNTERS_BY_LANE);
  expect(await query('SELECT total_rows, unsettled FROM campaigns ORDER BY id')).toEqual([
    { total_rows: 3, unsettled: 2 },
    { total_rows: TOTAL, unsettled: TOTAL - 2_001 },
    { total_rows: 3_000, unsettled: 0 },
  ]);
  const sums = await query<{ recipients: string }>(
    'SELECT SUM(recipients) AS recipients FROM campaign_counters GROUP BY campaign_id ORDER BY campaign_id',
  );
  expect(sums.map(({ recipients }) => Number(recipients))).toEqual([3, TOTAL, 3_000]);
  await database.dataSource.runMigrations();
});
