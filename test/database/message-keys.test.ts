import { readFileSync } from 'node:fs';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CampaignAcceptance, RecipientStatus } from '../../src/modules/engine/index.js';
import { canonical, messageKey } from '../../src/modules/engine/settle/message-ids.js';
import { Settlement } from '../../src/modules/engine/settle/settlement.js';
import { ReceiptSink } from '../../src/modules/providers/index.js';
import { inTransaction, partitionsOf, makeExchangeTable } from '../../src/platform/database/index.js';
import { MessageKeys1700000019650 } from '../../src/platform/database/migrations/1700000019650-message-keys.js';
import { type Engine, startEngine } from '../support/engine.js';

const ROUTE = 7;
const NUMBER = '4915112345678';
const IDS = ['4711', '0x00AB', '8B3C2F64-7F0E-4D7E-9D5F-00000000000A', 'ünïque-€ ', 'x'.repeat(128)];

let engine: Engine;
let dataSource: DataSource;

beforeAll(async () => {
  engine = await startEngine();
  dataSource = engine.part(DataSource);
  await engine.account('before', 0);
});
afterAll(() => engine.stop());

/** As the version before stores an id: its normal form stands beside it, if it differs. */
const storeAsBefore = (campaignId: number, seq: number, id: string, daysAgo: number): Promise<unknown> =>
  dataSource.query(
    `INSERT IGNORE INTO provider_messages (campaign_id, seq, item, sent_on, route_id, provider_message_id, items, match_key, status)
     SELECT j.campaign_id, j.seq, 0, UTC_DATE() - INTERVAL ? DAY, ?, j.id, 1, j.match_key, 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (
       campaign_id BIGINT PATH '$[0]', seq INT PATH '$[1]', id VARCHAR(128) CHARACTER SET utf8mb4 PATH '$[2]',
       match_key VARCHAR(64) CHARACTER SET ascii PATH '$[3]')) j`,
    [daysAgo, ROUTE, JSON.stringify([[campaignId, seq, id, canonical(id) === id.trimEnd() ? null : canonical(id)]])],
  );

const keysOf = async (campaignId: number): Promise<(number | null)[]> => {
  const rows = await dataSource.query<{ key: number | null }[]>(
    'SELECT message_key AS `key` FROM provider_messages WHERE campaign_id = ? ORDER BY seq',
    [campaignId],
  );
  return rows.map(({ key }) => key);
};

const indexes = async (): Promise<string[]> => {
  const rows = await dataSource.query<{ name: string }[]>(
    `SELECT DISTINCT index_name AS name FROM information_schema.statistics
     WHERE table_schema = DATABASE() AND table_name = 'provider_messages' ORDER BY name`,
  );
  return rows.map(({ name }) => name);
};

it('gives every id of the version before its key, also those that it stores later', async () => {
  const migration = new MessageKeys1700000019650();
  const runner = dataSource.createQueryRunner();
  await migration.down(runner);
  for (const [index, id] of IDS.entries()) await storeAsBefore(1, index + 1, id, index * 2);
  await storeAsBefore(2, 1, '4711', 12);
  await runner.startTransaction();
  await migration.up(runner);
  await migration.up(runner);
  await runner.commitTransaction();
  await runner.release();
  for (const [index, id] of IDS.entries()) await storeAsBefore(3, index + 1, id, 0);

  const keys = IDS.map((id) => messageKey(ROUTE, id));
  expect(await keysOf(1)).toEqual(keys);
  expect(await keysOf(2)).toEqual([null]);
  expect(await keysOf(3)).toEqual(keys);
  expect(await indexes()).toEqual([
    'ix_provider_messages_id',
    'ix_provider_messages_key',
    'ix_provider_messages_match',
    'PRIMARY',
  ]);
});

it('lets receipts find what the version before has sent, in any spelling', async () => {
  const accountId = await engine.account('sends', 1);
  const { id, requestId } = await engine.part(CampaignAcceptance).accept(engine.draft(accountId, [NUMBER]));
  await storeAsBefore(id, 1, '000000009F3A2B11', 1);
  const change = { campaignId: id, seq: 1, to: RecipientStatus.Submitted, errorCode: null, errorText: null };
  await inTransaction(dataSource, (tx) =>
    engine.part(Settlement).settle(tx, [{ ...change, refund: false, attempted: true }]),
  );
  const receipt = { status: 'delivered', errorCode: null, errorText: null, receiver: NUMBER } as const;
  await engine.module
    .get(ReceiptSink, { strict: false })
    .accept(ROUTE, [{ ...receipt, providerMessageId: '2671389457' }]);
  expect(await engine.counts(requestId)).toEqual({ Delivered: 1 });
});

it('loses the former indexes by the statement of docs/operate/upgrade.md, and days still leave', async () => {
  const manual = readFileSync(new URL('../../docs/operate/upgrade.md', import.meta.url), 'utf8');
  const [statement = ''] = /ALTER TABLE provider_messages .*?;/s.exec(manual) ?? [];
  await dataSource.query(statement.replaceAll(/\s+/g, ' ').replace(';', ''));
  expect(await indexes()).toEqual(['ix_provider_messages_key', 'PRIMARY']);
  const [day] = await partitionsOf(dataSource, 'provider_messages');
  const aside = await makeExchangeTable(dataSource, 'provider_messages');
  await dataSource.query(`ALTER TABLE provider_messages EXCHANGE PARTITION ${day?.name} WITH TABLE ${aside}`);
  expect(await keysOf(1)).toEqual([]);
});
