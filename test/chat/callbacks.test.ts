import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { inTransaction } from '../../src/platform/database/index.js';
import { DataSource } from 'typeorm';
import { ChatAccounts, type ChatAccountRecord, ChatWindows } from '../../src/modules/providers/index.js';
import { accountsOf, type Accounts } from '../support/accounts.js';
import { type RunningApi, startApi } from '../support/api.js';

const APP_SECRET = 'the-app-secret';
const NUMBER_ID = '106540352242922';
const WABA_ID = '102290129340398';

const sign = (body: string, secret = APP_SECRET): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

describe('callbacks of the chat upstream', () => {
  let api: RunningApi;
  let accounts: Accounts;
  let account: ChatAccountRecord;
  let path: string;

  beforeAll(async () => {
    api = await startApi();
    accounts = accountsOf(api);
  });
  afterAll(() => api.stop());
  beforeEach(async () => {
    account = await make();
    path = `/provider/chat/${account.id}`;
  });

  const make = async (fields: { appSecret?: null; verifyToken?: null } = {}): Promise<ChatAccountRecord> => {
    const { id: accountId } = await accounts.account();
    return inTransaction(api.app.get(DataSource), (tx) =>
      api.app.get(ChatAccounts, { strict: false }).put(tx, {
        accountId,
        connection: 'official',
        provider: 'meta_cloud',
        number: '4915100000000',
        url: `https://graph.example/v21.0/${NUMBER_ID}`,
        token: 'token',
        appId: null,
        appSecret: APP_SECRET,
        verifyToken: 'the-verify-token',
        bmid: null,
        wabaId: WABA_ID,
        messagesPerSecond: null,
        ...fields,
      }),
    );
  };

  const callback = (value: Record<string, unknown>, field = 'messages', entry = WABA_ID): string =>
    JSON.stringify({
      entry: [{ id: entry, changes: [{ field, value: { metadata: { phone_number_id: NUMBER_ID }, ...value } }] }],
    });
  const post = (body: string, signature: string | null = sign(body), to = path) =>
    accounts.call('POST', to, { body, headers: signature === null ? {} : { 'x-hub-signature-256': signature } });
  const query = <Row>(sql: string): Promise<Row[]> => api.database.dataSource.query(sql, [account.id]);
  const unmatched = async (): Promise<Record<string, unknown>[]> => {
    const rows = await query<{ receipt: string }>('SELECT receipt FROM parked_receipts WHERE route_id = ? ORDER BY id');
    return rows.map(({ receipt }) => JSON.parse(receipt) as Record<string, unknown>);
  };
  const inbound = () =>
    query<{ message_id: string; contact: string; type: string; message: string; sent_at: Date }>(
      'SELECT message_id, contact, type, message, sent_at FROM chat_inbound_messages WHERE route_id = ? ORDER BY id',
    );
  const message = (id: string, from: string, ageSeconds = 0): Record<string, unknown> => ({
    id,
    from,
    timestamp: String(Math.floor(Date.now() / 1000) - ageSeconds),
    type: 'text',
    text: { body: 'hello' },
  });

  describe('verification', () => {
    const ask = (token: string, to = path, mode = 'subscribe') =>
      fetch(`${api.url}${to}?hub.mode=${mode}&hub.verify_token=${token}&hub.challenge=115%3Cb%3E8`);

    it('answers the challenge as plain text', async () => {
      const response = await ask('the-verify-token');
      expect([response.status, await response.text()]).toEqual([200, '115<b>8']);
      expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
      expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    });

    it('refuses a wrong token, another mode, an account without token, an account that is none', async () => {
      const bare = await make({ verifyToken: null });
      const answers = await Promise.all([
        ask('wrong'),
        ask(''),
        ask('the-verify-token', path, 'unsubscribe'),
        ask('', `/provider/chat/${bare.id}`),
        ask('no such account', `/provider/chat/${bare.id}`),
        ask('the-verify-token', '/provider/chat/999999'),
        ask('the-verify-token', '/provider/chat/99999999999999999999'),
        ask('the-verify-token', '/provider/chat/x'),
        fetch(api.url + path),
      ]);
      for (const answer of answers) {
        expect(await answer.json()).toMatchObject({
          success: false,
          statusCode: 403,
          message: 'Forbidden',
          error: 'Forbidden',
        });
      }
      expect((await fetch(api.url + path, { method: 'HEAD' })).status).toBe(405);
    });
  });

  describe('statuses', () => {
    it('become receipts', async () => {
      const status = (id: string, word: string) => ({
        id,
        status: word,
        timestamp: '1',
        recipient_id: '4915187654321',
      });
      const body = callback({
        statuses: [
          status('wamid.1', 'sent'),
          status('wamid.2', 'delivered'),
          status('wamid.3', 'read'),
          {
            ...status('wamid.4', 'failed'),
            errors: [{ code: 131026, title: 'Message undeliverable', error_data: { details: 'No such user' } }],
          },
          status('wamid.5', 'pondered'),
          status('', 'sent'),
        ],
      });
      const { status: code, body: answer } = await post(body);
      expect([code, answer]).toEqual([200, { success: true, receipts: 4, messages: 0, templates: 0, dropped: 2 }]);
      const one = { errorCode: null, errorText: null, receiver: '4915187654321' };
      expect(await unmatched()).toEqual([
        { providerMessageId: 'wamid.1', status: 'submitted', ...one },
        { providerMessageId: 'wamid.2', status: 'delivered', ...one },
        { providerMessageId: 'wamid.3', status: 'read', ...one },
        {
          ...one,
          providerMessageId: 'wamid.4',
          status: 'failed',
          errorCode: 131026,
          errorText: 'Message undeliverable',
        },
      ]);
    });

    it('of another number are counted and dropped', async () => {
      const statuses = [{ id: 'wamid.9', status: 'read', recipient_id: '1' }];
      const foreign = callback({ metadata: { phone_number_id: '42' }, statuses, messages: [message('m9', '49151')] });
      expect((await post(foreign)).body).toEqual({ success: true, receipts: 0, messages: 0, templates: 0, dropped: 2 });
      expect((await post(callback({ metadata: null, statuses }))).body).toMatchObject({ receipts: 0, dropped: 1 });
      expect(await unmatched()).toEqual([]);
      expect(await inbound()).toEqual([]);
      const metrics = await (await fetch(`${api.url}/metrics`)).text();
      expect(metrics).toMatch(/switchboard_inbound_dropped_total\{.*reason="other_connection".*\} [1-9]/);
    });
  });

  it('store inbound messages once, and open the window of their sender', async () => {
    const windows = api.app.get(ChatWindows, { strict: false });
    expect(await windows.isOpen(account.id, '4915187654321')).toBe(false);
    const body = callback({
      messages: [message('m1', '4915187654321'), message('m2', '4915187654322', 86_500), { id: 'm3', type: 'text' }],
    });
    for (let i = 0; i < 3; i++) expect((await post(body)).body).toMatchObject({ messages: 2, dropped: 1 });
    await Promise.all(Array.from({ length: 8 }, () => post(body)));
    const rows = await inbound();
    expect(rows.map((row) => [row.message_id, row.contact, row.type])).toEqual([
      ['m1', '4915187654321', 'text'],
      ['m2', '4915187654322', 'text'],
    ]);
    expect(JSON.parse(rows[0]?.message ?? '')).toMatchObject({ id: 'm1', text: { body: 'hello' } });
    expect(await windows.isOpen(account.id, '+49 151 87654321')).toBe(true);
    // The second was written more than a day ago, and other accounts know nothing of either.
    expect(await windows.isOpen(account.id, '4915187654322')).toBe(false);
    expect(await windows.isOpen(account.id + 1, '4915187654321')).toBe(false);
    // An older message that comes late does not close what a newer one opened.
    await post(callback({ messages: [message('m0', '4915187654321', 80_000)] }));
    const [window] = await query<{ open_until: Date }>(
      "SELECT open_until FROM chat_windows WHERE route_id = ? AND contact = '4915187654321'",
    );
    expect((window?.open_until.getTime() ?? 0) - Date.now()).toBeGreaterThan(80_000_000);
  });

  it('count template reviews of the own business account only', async () => {
    const update = { event: 'APPROVED', message_template_id: 17, message_template_name: 'unknown_here' };
    const field = 'message_template_status_update';
    expect((await post(callback(update, field))).body).toMatchObject({ templates: 1, dropped: 0 });
    expect((await post(callback(update, field, '7'))).body).toMatchObject({ templates: 0, dropped: 1 });
    expect((await post(callback({ event: 1 }, field))).body).toMatchObject({ templates: 0, dropped: 1 });
    expect((await post(callback({}, 'account_alerts'))).body).toMatchObject({ templates: 0, dropped: 1 });
  });

  it('without the right signature: 403 and no effect', async () => {
    const body = callback({
      statuses: [{ id: 'wamid.evil', status: 'read' }],
      messages: [message('evil', '4915187654321')],
    });
    const bare = await make({ appSecret: null });
    const right = sign(body);
    const wrong = [
      await post(body, null),
      await post(body, ''),
      await post(body, 'sha256='),
      await post(body, sign(body, 'another secret')),
      await post(body, sign(`${body} `)),
      await post(`${body} `, right),
      await post(body, right.toUpperCase()),
      await post(body, right.slice(7)),
      await post(body, sign(body, ''), `/provider/chat/${bare.id}`),
      await post(body, sign(body, 'no such account'), `/provider/chat/${bare.id}`),
      await post(body, sign(body, 'no such account'), '/provider/chat/999999'),
      await post(body, right, '/provider/chat/x'),
    ];
    for (const { status, body: answer } of wrong) expect([status, answer.message]).toEqual([403, 'Forbidden']);
    expect(await unmatched()).toEqual([]);
    expect(await inbound()).toEqual([]);
  });

  it('cover the raw bytes, take up to 1 MB, and survive anything', async () => {
    const spaced = `  ${callback({ statuses: [{ id: 'wamid.ü', status: 'sent' }] }).replaceAll(':', ' :\n')}`;
    expect((await post(spaced)).body).toMatchObject({ receipts: 1 });
    const odd = ['null', '5', '"text"', '[]', '{"entry":5}', '{"entry":[null,{"changes":[1,{"value":[]}]}]}'];
    odd.push(callback({ statuses: [{ id: { a: 1 } }, 7], messages: 'x' }), callback({ statuses: { id: 1 } }));
    for (const body of odd) expect((await post(body)).status).toBe(200);
    expect((await post('{')).status).toBe(400);
    expect((await post(callback({ text: 'x'.repeat(1_000_000) }))).status).toBe(200);
    expect((await post(callback({ text: 'x'.repeat(1_048_576) }))).status).toBe(413);
    const form = 'entry=1';
    const headers = { 'content-type': 'application/x-www-form-urlencoded', 'x-hub-signature-256': sign(form) };
    expect((await accounts.call('POST', path, { body: form, headers })).status).toBe(200);
    const packed = { 'content-encoding': 'gzip', 'x-hub-signature-256': sign('{}') };
    const compressed = await accounts.call('POST', path, { body: '{}', headers: packed });
    expect([compressed.status, compressed.body]).toMatchObject([415, { success: false, code: 'body_compressed' }]);
    const plain = { 'content-type': 'text/plain', 'x-hub-signature-256': sign('') };
    expect((await accounts.call('POST', path, { body: 'x', headers: plain })).status).toBe(403);
  });
});
