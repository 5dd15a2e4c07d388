import { DataSource, EntityManager } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { CampaignAcceptance, RecipientStatus } from '../../src/modules/engine/index.js';
import { type Receipt, ReceiptSink } from '../../src/modules/providers/index.js';
import { ReceiptLookup } from '../../src/modules/engine/receipts/receipt-lookup.js';
import { messageKey } from '../../src/modules/engine/settle/message-ids.js';
import { type Engine, startEngine } from '../support/engine.js';
import { sqlMessageKey } from '../stage/message-key.mjs';

/** Receipts of all kinds that come at one moment: a message of one item, one of two items, a call that is made again. */
let engine: Engine;
let dataSource: DataSource;

beforeAll(async () => {
  engine = await startEngine();
  dataSource = engine.module.get(DataSource, { strict: false });
});
afterAll(() => engine.stop());

const PLAIN = { channel: 'sms', content: { message: 'hello' } } as const;
const ITEMS = { channel: 'unofficial', content: { message: 'hello', img1: 'https://f.example/1.jpg' } } as const;
const CALLS = { channel: 'voice', content: { retries: 1, retry_interval: 60 } } as const;

const { Submitted } = RecipientStatus;

const receipt = (providerMessageId: string, status: Receipt['status'] = 'delivered'): Receipt => ({
  ...{ providerMessageId, status, errorCode: null, errorText: null, receiver: null },
});

/** A campaign whose recipients all wait for their receipts; its messages are the caller's affair. */
async function waiting(name: string, numbers: string[], fields: object): Promise<{ id: number; requestId: string }> {
  const accountId = await engine.account(name, numbers.length);
  const draft = engine.draft(accountId, numbers, fields);
  const { id, requestId } = await engine.module.get(CampaignAcceptance, { strict: false }).accept(draft);
  await dataSource.query('UPDATE campaign_recipients SET status = ?, attempts = 1 WHERE campaign_id = ?', [
    Submitted,
    id,
  ]);
  await dataSource.query('UPDATE campaign_counters SET status = ? WHERE campaign_id = ?', [Submitted, id]);
  return { id, requestId };
}

async function submitted(name: string, fields: object, ids: string[]): Promise<string> {
  const { id, requestId } = await waiting(name, ['919999999999'], fields);
  for (const [item, providerId] of ids.entries()) {
    await dataSource.query(
      `INSERT INTO provider_messages (campaign_id, seq, item, route_id, provider_message_id, items, status, message_key)
       VALUES (?, 1, ?, 1, ?, ?, ?, ?)`,
      [id, item, providerId, ids.length, Submitted, messageKey(1, providerId)],
    );
  }
  return requestId;
}

it('are gathered once and locked once, items before recipients', async () => {
  const plain = await submitted('plain', PLAIN, ['plain-1']);
  const items = await submitted('items', ITEMS, ['item-1', 'item-2']);
  const calls = await submitted('calls', CALLS, ['call-1']);
  const query = vi.spyOn(EntityManager.prototype, 'query');
  const sink = engine.module.get(ReceiptSink, { strict: false });
  await sink.accept(1, [
    receipt('call-1', 'busy'),
    receipt('item-2', 'delivered'),
    receipt('plain-1', 'delivered'),
    receipt('item-1', 'read'),
  ]);
  const statements = query.mock.calls.map(([sql]) => sql);
  query.mockRestore();
  const locks = statements.filter((sql) => sql.includes('FOR UPDATE'));
  expect(locks.map((sql) => /JOIN (\w+) \w FORCE INDEX \(PRIMARY\) ON/.exec(sql)?.[1])).toEqual([
    'provider_messages',
    'campaign_recipients',
  ]);
  expect(statements.filter((sql) => /^UPDATE JSON_TABLE.*STRAIGHT_JOIN campaign_recipients r/s.test(sql))).toHaveLength(
    1,
  );
  expect(await engine.counts(plain)).toEqual({ Delivered: 1 });
  expect(await engine.counts(items)).toEqual({ Delivered: 1 });
  expect(await engine.counts(calls)).toEqual({ Retrying: 1 });
});

it('read no more than a bounded number of messages where an upstream gives all of them one id', async () => {
  const many = JSON.stringify(Array.from({ length: 6_000 }, (_, index) => index + 1));
  const each = "JSON_TABLE(?, '$[*]' COLUMNS (seq INT PATH '$')) j";
  const requestId = await submitted('beside-many', PLAIN, ['a-name']);
  await dataSource.query(
    `INSERT INTO campaign_recipients (campaign_id, seq, receiver, status, attempts, updated_at)
     SELECT 4096, j.seq, j.seq, ?, 1, UTC_TIMESTAMP(3) FROM ${each}`,
    [RecipientStatus.Delivered, many],
  );
  await dataSource.query(
    `INSERT INTO provider_messages (campaign_id, seq, item, route_id, provider_message_id, items, status, message_key)
     SELECT 4096, j.seq, 0, 1, 'OK', 1, ?, ? FROM ${each}`,
    [RecipientStatus.Submitted, messageKey(1, 'OK'), many],
  );
  const query = vi.spyOn(EntityManager.prototype, 'query');
  const receipts = ['OK', 'a-name', ...Array.from({ length: 8 }, () => 'OK'), 'unknown'].map((id) => receipt(id));
  await engine.module.get(ReceiptSink, { strict: false }).accept(1, receipts);
  const answers = await Promise.all(query.mock.results.map(({ value }) => value as Promise<unknown>));
  query.mockRestore();
  const rows = answers.map((answer) => (Array.isArray(answer) ? answer.length : 0));
  expect(Math.max(...rows)).toBeLessThanOrEqual(5_000);
  expect(await engine.counts(requestId)).toEqual({ Delivered: 1 });
});

/** So many that they are looked up by several statements, before their transaction. */
describe('a thousand receipts at once', () => {
  const COUNT = 1_000;

  async function sent(name: string): Promise<{ id: number; requestId: string; receipts: Receipt[] }> {
    const numbers = Array.from({ length: COUNT }, (_, index) => String(919_000_000_000 + index));
    const { id, requestId } = await waiting(name, numbers, PLAIN);
    await dataSource.query(
      `INSERT INTO provider_messages (campaign_id, seq, item, route_id, provider_message_id, items, status, message_key)
       SELECT campaign_id, seq, 0, 1, CONCAT(?, seq), 1, ?, ${sqlMessageKey('1', 'CONCAT(?, seq)')}
       FROM campaign_recipients WHERE campaign_id = ?`,
      [`${name}-`, Submitted, `${name}-`, id],
    );
    const receipts = numbers.map((_, index) => receipt(`${name}-${index + 1}`));
    return { id, requestId, receipts };
  }

  it('find each its message, whichever part they are looked up in', async () => {
    const { requestId, receipts } = await sent('large');
    const [first, ...rest] = receipts;
    const parts = vi.spyOn(DataSource.prototype, 'query');
    await engine.module
      .get(ReceiptSink, { strict: false })
      .accept(1, [first as Receipt, ...rest.slice(1).reverse(), first as Receipt, receipt('nobody')]);
    const lookups = parts.mock.calls.filter(([sql]) => sql.includes('provider_messages m'));
    parts.mockRestore();
    expect(lookups.length).toBeGreaterThan(1);
    expect(await engine.counts(requestId)).toEqual({ Delivered: COUNT - 1, Submitted: 1 });
    const unmatched: unknown[] = await dataSource.query(
      "SELECT 1 FROM parked_receipts WHERE provider_message_id = 'nobody'",
    );
    expect(unmatched).toHaveLength(1);
  });

  it('are checked by what holds in their transaction, not by what was found before', async () => {
    const { id, requestId, receipts } = await sent('outdated');
    const { Read } = RecipientStatus;
    const find = engine.module.get(ReceiptLookup, { strict: false });
    const findApart = find.findApart.bind(find);
    find.findApart = async (some) => {
      const found = await findApart(some);
      await dataSource.query('UPDATE campaign_recipients SET status = ? WHERE campaign_id = ? AND seq = 7', [Read, id]);
      await dataSource.query('UPDATE campaign_counters SET recipients = recipients - 1 WHERE campaign_id = ?', [id]);
      return found;
    };
    await engine.module.get(ReceiptSink, { strict: false }).accept(1, receipts);
    find.findApart = findApart;
    const statuses: { status: number; count: string }[] = await dataSource.query(
      'SELECT status, COUNT(*) AS count FROM campaign_recipients WHERE campaign_id = ? GROUP BY status ORDER BY status',
      [id],
    );
    expect(statuses.map(({ status, count }) => [status, Number(count)])).toEqual([
      [RecipientStatus.Delivered, COUNT - 1],
      [Read, 1],
    ]);
    expect(await engine.counts(requestId)).toEqual({ Delivered: COUNT - 1 });
  });
});
