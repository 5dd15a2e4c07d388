import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { NumberSenders } from '../../src/modules/campaigns/index.js';
import { StopList } from '../../src/modules/engine/index.js';
import { ChatNumberPairs, ChatWindows } from '../../src/modules/providers/index.js';
import { inTransaction } from '../../src/platform/database/index.js';
import { dataOf, type Json, listOf } from '../support/campaigns.js';
import { type Installation, openInstallation } from '../support/installation.js';
import type { Answer } from '../support/sms.js';

const PAIRS: readonly (readonly [long: string, short: string])[] = [
  ['5511961234567', '551161234567'],
  ['5215512345678', '525512345678'],
  ['5491123456789', '541123456789'],
];
const ROUTE = 77;

let installation: Installation;
beforeAll(async () => {
  installation = await openInstallation({ BROADCAST_RATE_LIMIT: 0 });
});
afterAll(() => installation.stop());

const post = (path: string, body: unknown): Promise<Answer> => installation.post(path, installation.owner, body);
const get = (path: string): Promise<Answer> => installation.get(path, installation.owner);
const accountId = (): number => installation.owner.account.id;

describe.each([...PAIRS, ...PAIRS.map(([long, short]) => [short, long] as const)])('%s and %s', (one, other) => {
  it('are stopped by an entry of the stop list, also by one that another process wrote', async () => {
    await installation.dataSource.query(
      "INSERT INTO suppressions (account_id, number, source, created_at) VALUES (?, ?, 'api', UTC_TIMESTAMP(3))",
      [accountId(), one],
    );
    const list = installation.part(StopList);
    const asked = [other, '919812345600', one].map((number) => ({ accountId: accountId(), campaignId: 0, number }));
    expect([...(await list.among(asked))].sort()).toEqual([0, 2]);
    expect(listOf(await get(`/v6/api/suppressions?number=${other}`))).toMatchObject([{ number: one }]);
    const removed = await installation.request('/v6/api/suppressions', {
      method: 'DELETE',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${installation.owner.token}` },
      body: JSON.stringify({ number: other }),
    });
    expect(removed.body).toMatchObject({ data: { removed: 1 } });
    expect([...(await list.among(asked))]).toEqual([]);
  });

  it('are one duplicate', async () => {
    const quote = await post('/v6/api/campaigns/quote', { channel: 'sms', message: 'Hi', contacts: [one, other] });
    expect(dataOf(quote)).toMatchObject({ contacts: 2, duplicates: [other], duplicates_count: 1 });
    const bulk = { channel: 'sms', broadcast_name: 'x', message: 'Hi', recipients: [{ to: one }, { to: other }] };
    expect(dataOf(await post('/v6/api/campaigns/quote', bulk))).toMatchObject({
      duplicates: [other],
      duplicates_count: 1,
    });
  });

  it('are found by a search for either', async () => {
    const id = await installation.send(installation.owner, [one]);
    const hits = listOf(await get(`/v6/api/recipients?number=${other}`));
    expect(hits).toContainEqual(expect.objectContaining({ request_id: id, receiver: one }));
    const box = listOf(await get(`/v6/api/search?q=%2B${other}`));
    expect(box).toContainEqual(expect.objectContaining({ kind: 'recipient', id, title: one }));
  });

  it('have the sender of either, for a stop word', async () => {
    const senders = installation.part(NumberSenders);
    await installation.dataSource.query(
      'REPLACE INTO route_senders (route_id, number, account_id, sent_on) VALUES (?, ?, ?, UTC_DATE())',
      [ROUTE, one, accountId()],
    );
    expect([...(await senders.lastTo(ROUTE, [other]))]).toEqual([[other, accountId()]]);
  });

  it('open one window', async () => {
    const windows = installation.part(ChatWindows);
    const write = [{ contact: one, sentAt: new Date() }];
    await inTransaction(installation.dataSource, (tx) => windows.open(tx, ROUTE, write));
    expect(await windows.isOpen(ROUTE, other)).toBe(true);
  });
});

it('a window opens under the number by which the provider knows the contact', async () => {
  const [pairs, windows] = [installation.part(ChatNumberPairs), installation.part(ChatWindows)];
  const [sent, known] = ['6281234567890', '628123456789'];
  const answer = { contacts: [{ input: sent, wa_id: known }], messages: [{ id: randomUUID() }] };
  pairs.learn(ROUTE, sent, answer);
  // nothing to keep: the same number, a user id, an answer without a number
  pairs.learn(ROUTE, known, { contacts: [{ input: known, wa_id: known }] });
  pairs.learn(ROUTE, 'US.1', answer);
  pairs.learn(ROUTE, sent, { contacts: [{ user_id: 'US.1' }] });
  pairs.learn(ROUTE, sent, null);
  const kept = (): Promise<Json[]> =>
    installation.dataSource.query('SELECT input, provider_number FROM chat_number_pairs WHERE route_id = ?', [ROUTE]);
  await vi.waitFor(async () => expect(await kept()).toEqual([{ input: sent, provider_number: known }]));
  expect(await windows.isOpen(ROUTE, sent)).toBe(false);
  await inTransaction(installation.dataSource, (tx) =>
    windows.open(tx, ROUTE, [{ contact: known, sentAt: new Date() }]),
  );
  expect(await windows.isOpen(ROUTE, sent)).toBe(true);
  expect(await windows.isOpen(ROUTE + 1, sent)).toBe(false);
  expect(await inTransaction(installation.dataSource, (tx) => pairs.inputsOf(tx, ROUTE, known))).toEqual([sent]);
});

it('an entry that an older version kept with a leading 00 stops its number', async () => {
  const list = installation.part(StopList);
  const asked = ['919812345601', '919812345602'].map((number) => ({ accountId: accountId(), campaignId: 0, number }));
  await installation.dataSource.query(
    "INSERT INTO suppressions (account_id, number, source, created_at) VALUES (?, '00919812345602', 'api', UTC_TIMESTAMP(3))",
    [accountId()],
  );
  expect([...(await list.among(asked))]).toEqual([1]);
  expect(listOf(await get('/v6/api/suppressions?number=919812345602'))).toMatchObject([{ number: '00919812345602' }]);
});

describe('an entry that an older version kept as it is dialled', () => {
  const keep = (number: string): Promise<unknown> =>
    installation.dataSource.query(
      "INSERT INTO suppressions (account_id, number, source, created_at) VALUES (?, ?, 'api', UTC_TIMESTAMP(3))",
      [accountId(), number],
    );
  const stops = async (number: string): Promise<boolean> =>
    (await installation.part(StopList).among([{ accountId: accountId(), campaignId: 0, number }])).size === 1;

  it('stops its number by the country of the account, is found and taken off', async () => {
    await keep('09812345603');
    await keep('07911123456');
    expect(await stops('919812345604')).toBe(false);
    await installation.dataSource.query("UPDATE accounts SET country_code = 'IN' WHERE id = ?", [accountId()]);
    expect([await stops('919812345603'), await stops('09812345603'), await stops('447911123456')]).toEqual([
      true,
      true,
      false,
    ]);
    await installation.dataSource.query("UPDATE accounts SET country_code = 'GB' WHERE id = ?", [accountId()]);
    expect([await stops('919812345603'), await stops('447911123456')]).toEqual([false, true]);
    await installation.dataSource.query('UPDATE accounts SET country_code = NULL WHERE id = ?', [accountId()]);
    // plain digits that nobody explains are found as they are
    expect(listOf(await get('/v6/api/suppressions?number=07911123456'))).toMatchObject([{ number: '07911123456' }]);
    const removed = await installation.request('/v6/api/suppressions', {
      method: 'DELETE',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${installation.owner.token}` },
      body: JSON.stringify({ numbers: ['07911123456', '09812345603'] }),
    });
    expect(removed.body).toMatchObject({ data: { removed: 2 } });
  });

  it('is stopped too where a send names it so, and the list has it with its calling code', async () => {
    await keep('919812345605');
    await installation.dataSource.query("UPDATE accounts SET country_code = 'IN' WHERE id = ?", [accountId()]);
    expect([await stops('09812345605'), await stops('00919812345605'), await stops('9812345606')]).toEqual([
      true,
      true,
      false,
    ]);
    await installation.dataSource.query('UPDATE accounts SET country_code = NULL WHERE id = ?', [accountId()]);
  });
});

it.each(PAIRS)('%s and %s are one member of a list', async (long, short) => {
  const id = Number(dataOf(await post('/v6/api/lists', { name: `one ${long}` }))['list_id']);
  const path = `/v6/api/lists/${id}/members`;
  const members = [
    { to: long, variables: { name: 'Ana' } },
    { to: short, variables: { name: 'Bia' } },
  ];
  expect(dataOf(await post(path, { members }))).toMatchObject({ added: 1, duplicates_count: 1, duplicates: [short] });
  expect(dataOf(await post(path, { members: [{ to: short }] }))).toMatchObject({ added: 0, duplicates: [long] });
  expect(listOf(await get(path))).toEqual([{ to: long, variables: { name: 'Bia' } }]);
  const headers = { authorization: `Bearer ${installation.owner.token}` };
  expect((await installation.request(`${path}/${short}`, { method: 'DELETE', headers })).status).toBe(200);
  expect(listOf(await get(path))).toEqual([]);
});
