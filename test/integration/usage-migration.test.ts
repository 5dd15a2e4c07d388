import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { undoFrom } from '../support/migrations.js';

const USAGE = 1_700_000_015_301;
const [GSM, VOICE] = ['gsm_credits', 'voice_credits'];

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  await undoFrom(database, USAGE);
});
afterAll(() => database.drop());

const query = <Row>(sql: string, values?: unknown[]): Promise<Row[]> => database.dataSource.query<Row[]>(sql, values);
const insert = (table: string, row: Record<string, unknown>): Promise<unknown> =>
  query(`INSERT INTO ${table} (${Object.keys(row).join(', ')}) VALUES (?)`, [Object.values(row)]);

let id = 0;
interface Entry {
  at: string;
  kind: string;
  amount: number;
  balance?: string;
  account?: number;
  request?: string;
  note?: string;
}
const entry = async ({ at, kind, amount, balance = GSM, account = 1, request, note }: Entry): Promise<number> => {
  await insert('credit_ledger', {
    id: ++id,
    account_id: account,
    balance,
    amount,
    available: 0,
    kind,
    request_id: request ?? null,
    note: note ?? null,
    created_at: at,
  });
  return id;
};
const month = (first: string, after: number, last: number, closed: number, removed = 0): Promise<unknown> =>
  insert('credit_months', { month: first, after_id: after, last_id: last, closed_id: closed, removed });
const closing = (first: string, moved: number, total: number): Promise<unknown> =>
  insert('credit_closings', { account_id: 1, balance: GSM, month: first, entries: 1, moved, closing: total });

it('counts usage of the past from the ledger, and what of each closing it was', async () => {
  await insert('campaigns', {
    id: 1,
    account_id: 1,
    request_id: 'KEPT',
    channel: 'sms',
    state: 'completed',
    broadcast_name: 'old',
    service: 'main',
    route_id: 1,
    content: '{}',
    balance: GSM,
    unit_credits: 2,
    own_terms: 0,
    charged_credits: 8,
    refunded_credits: 2,
    total_rows: 4,
    open_lanes: 0,
    created_at: '2026-03-05',
  });
  // a month that has gone but for an entry that was not yet removed; one that is closed; one that is half closed; the rest
  const gone = await entry({ at: '2026-01-05', kind: 'debit', amount: -50, request: 'GONE' });
  const march = await entry({ at: '2026-03-05', kind: 'debit', amount: -8, request: 'KEPT' });
  const closed = await entry({
    at: '2026-03-31 23:59:59.999',
    kind: 'refund',
    amount: 2,
    request: 'KEPT',
    note: '1 recipients',
  });
  const half = await entry({ at: '2026-04-01', kind: 'debit', amount: -5, request: 'REMOVED' });
  const rest = await entry({ at: '2026-04-01', kind: 'refund', amount: 5, request: 'REMOVED', note: 'whole' });
  await entry({ at: '2026-06-01', kind: 'debit', amount: -1, request: 'KEPT', balance: VOICE, account: 2 });
  await entry({ at: '2026-06-01', kind: 'grant', amount: 100 });
  await month('2026-01-01', 0, gone, gone, 1);
  await month('2026-03-01', gone, closed, closed);
  await month('2026-04-01', closed, rest, half);
  await closing('2026-01-01', -50, -50);
  await closing('2026-03-01', -6, -56);
  await closing('2026-04-01', -5, -61);
  expect(march).toBeLessThan(closed);
  await database.dataSource.runMigrations();
  const counters = await query(
    `SELECT account_id AS account, DATE_FORMAT(day, '%Y-%m-%d') AS day, balance, channel, prefix, sender,
       charged_recipients AS recipients, charged_credits AS charged, refunded_recipients AS returned,
       refunded_credits AS refunded FROM usage_counters ORDER BY account, day`,
  );
  const base = { account: 1, balance: GSM, prefix: '', sender: '' };
  expect(counters).toEqual([
    { ...base, day: '2026-03-05', channel: 'sms', recipients: 4, charged: 8, returned: 0, refunded: 0 },
    { ...base, day: '2026-03-31', channel: 'sms', recipients: 0, charged: 0, returned: 1, refunded: 2 },
    { ...base, day: '2026-04-01', channel: '', recipients: 0, charged: 5, returned: 0, refunded: 5 },
    {
      ...base,
      account: 2,
      day: '2026-06-01',
      balance: VOICE,
      channel: '',
      recipients: 0,
      charged: 1,
      returned: 0,
      refunded: 0,
    },
  ]);
  const closings = await query('SELECT charged, refunded FROM credit_closings ORDER BY month');
  expect(closings).toEqual([
    { charged: 0, refunded: 0 },
    { charged: 8, refunded: 2 },
    { charged: 5, refunded: 0 },
  ]);
});
