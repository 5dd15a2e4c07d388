import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { DataSource } from 'typeorm';
import { inTransaction } from '../../src/platform/database/index.js';
import { type ChatAccount, ChatAccounts } from '../../src/modules/providers/index.js';
import { accountsOf } from '../support/accounts.js';
import { type RunningApi, startApi } from '../support/api.js';
import { graphCall, receiveCallbacks } from './callback-receiver.js';
import { openSandbox, type OpenSandbox } from './open-sandbox.js';

const SECRET = 'the-app-secret';
const VERIFY = 'the-verify-token';
const PHONE_NUMBER_ID = '106540352242922';

/** The upstream's callbacks at our own door: what the sandbox signs is taken, what anyone altered is not. */
describe('callbacks of the chat upstream', () => {
  let api: RunningApi;
  let sandbox: OpenSandbox;
  let account: ChatAccount;
  let callbackUrl = '';

  beforeAll(async () => {
    sandbox = await openSandbox();
    api = await startApi();
    const owner = await accountsOf(api).account();
    account = await inTransaction(api.app.get(DataSource), (tx) =>
      api.app.get(ChatAccounts).put(tx, {
        accountId: owner.id,
        connection: 'official',
        provider: 'meta_cloud',
        number: '4915112345678',
        url: `${sandbox.url}/v21.0/${PHONE_NUMBER_ID}`,
        token: 'token',
        appId: null,
        appSecret: SECRET,
        verifyToken: VERIFY,
        bmid: null,
        wabaId: null,
        messagesPerSecond: null,
      }),
    );
    callbackUrl = `${api.url}/provider/chat/${account.id}`;
  });
  afterAll(async () => {
    await sandbox.stop();
    await api.stop();
  });

  const register = (fields: Record<string, unknown>) =>
    graphCall(sandbox, 'POST', '/chat/accounts', {
      phone_number_id: PHONE_NUMBER_ID,
      callback_url: callbackUrl,
      app_secret: SECRET,
      verify_token: VERIFY,
      ...fields,
    });
  const write = (id: string) =>
    graphCall(sandbox, 'POST', '/chat/inbound', {
      phone_number_id: PHONE_NUMBER_ID,
      from: '4915100000001',
      message: { id, type: 'text', text: { body: 'Hello' } },
    });
  const stored = async (): Promise<string[]> => {
    const rows = await api.app
      .get(DataSource)
      .query<{ message_id: string }[]>('SELECT message_id FROM chat_inbound_messages ORDER BY message_id');
    return rows.map((row) => row.message_id);
  };

  it('answer the verification call, and only with the right token', async () => {
    expect((await register({ verify_token: 'wrong' })).status).toBe(400);
    expect(await register({})).toEqual({ status: 200, body: { phone_number_id: PHONE_NUMBER_ID, verified: true } });
  });

  it('are taken when signed with the account’s secret, each message once', async () => {
    await register({});
    expect((await write('wamid.A')).status).toBe(200);
    expect((await write('wamid.A')).status).toBe(200);
    expect((await write('wamid.a')).status).toBe(200);
    expect(await stored()).toEqual(['wamid.A', 'wamid.a']);
  });

  it('are refused without effect when another secret signed them', async () => {
    await register({ app_secret: 'another-secret' });
    expect((await write('wamid.forged')).status).toBe(502);
    expect(await stored()).not.toContain('wamid.forged');
  });

  it('are refused without effect when a byte was altered on the way', async () => {
    const between = await receiveCallbacks(VERIFY);
    await register({ callback_url: between.url });
    expect((await write('wamid.between')).status).toBe(200);
    const [{ raw, headers } = { raw: '', headers: {} }] = between.received;
    between.close();
    const signature = String(headers['x-hub-signature-256']);
    const post = async (body: string, signed: Record<string, string>): Promise<number> => {
      const response = await fetch(callbackUrl, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...signed },
        body,
      });
      return response.status;
    };
    const altered = raw.replace('Hello', 'Hullo');
    expect(altered).not.toBe(raw);
    const refusals: [string, Record<string, string>][] = [
      [altered, { 'x-hub-signature-256': signature }],
      [`${raw} `, { 'x-hub-signature-256': signature }],
      [raw, { 'x-hub-signature-256': signature.replace(/.$/, (last) => (last === '0' ? '1' : '0')) }],
      [raw, { 'x-hub-signature-256': signature.replace('sha256=', 'sha1=') }],
      [raw, { 'x-hub-signature-256': '' }],
      [raw, {}],
    ];
    for (const [body, signed] of refusals) expect(await post(body, signed)).toBe(403);
    expect(await stored()).not.toContain('wamid.between');
    expect(await post(raw, { 'x-hub-signature-256': signature })).toBe(200);
    expect(await stored()).toContain('wamid.between');
  });

  it('bring statuses in batches that all are taken', async () => {
    await register({});
    await sandbox.faults({ receiptDelayMs: 10 });
    const sends = Array.from({ length: 50 }, (_, index) =>
      graphCall(sandbox, 'POST', `/v21.0/${PHONE_NUMBER_ID}/messages`, {
        messaging_product: 'whatsapp',
        to: `49152${String(index).padStart(4, '0')}111`,
        type: 'text',
        text: { body: 'hi' },
      }),
    );
    const ids = (await Promise.all(sends)).map(({ body }) => (body['messages'] as { id: string }[])[0]?.id);
    // Nobody here sent these messages: their receipts wait in the engine for whom they belong to.
    await vi.waitUntil(
      async () => {
        const rows = await api.app
          .get(DataSource)
          .query<{ found: string }[]>('SELECT DISTINCT provider_message_id AS found FROM parked_receipts');
        const found = new Set(rows.map((row) => row.found));
        return ids.every((id) => id !== undefined && found.has(id));
      },
      { timeout: 15_000, interval: 100 },
    );
  });
});
