import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ChatAccounts } from '../../src/modules/providers/index.js';
import { type ChatMember, openSessions, type Sessions } from '../support/sessions.js';
import type { Answer } from '../support/accounts.js';

const OTHER_BODY = 'Idempotency-Key was used with another body';
const RUNNING = 'A request with this Idempotency-Key is still running';
const TO = '919812345678';
const V6 = { messaging_product: 'chat', to: TO, type: 'text', text: { body: 'Hello' } };
const V5 = { contacts: TO, broadcast_message: 'Hello' };

let sessions: Sessions;
let serial = 0;

beforeAll(async () => {
  sessions = await openSessions();
});
afterAll(() => sessions.stop());

const newKey = (): string => `session-${++serial}`;
const reached = (): number => sessions.upstream.calls.length;

type Send = (member: ChatMember, key: string, change?: object) => Promise<Answer>;
const v6: Send = (member, key, change = {}) =>
  sessions.v6(member, { ...V6, ...change }, { headers: { 'idempotency-key': key } });
const v5On =
  (path: string): Send =>
  ({ token }, key, change = {}) =>
    sessions.accounts.call('POST', `/v5/api/${path}`, {
      token,
      body: { ...V5, ...change },
      headers: { 'idempotency-key': key },
    });
const v5 = v5On('session.php');

describe.each<[string, Send, object]>([
  ['v6', v6, { text: { body: 'Other' } }],
  ['v5', v5, { broadcast_message: 'Other' }],
])('Idempotency-Key on a %s session message', (_, send, otherBody) => {
  const member = async (): Promise<ChatMember> => {
    const who = await sessions.member();
    await sessions.openWindow(who, TO);
    return who;
  };

  it('gives the first answer again and sends nothing', async () => {
    const [who, key, before] = [await member(), newKey(), reached()];
    const first = await send(who, key);
    const second = await send(who, key);
    expect(first.status).toBe(200);
    expect([second.status, second.body]).toEqual([200, first.body]);
    expect(await send(who, key, otherBody)).toMatchObject({ status: 422, body: { message: OTHER_BODY } });
    expect(await send(who, 'k'.repeat(256))).toMatchObject({ status: 400 });
    expect([reached(), (await sessions.stored(who)).length]).toEqual([before + 1, 1]);
    expect((await send(await member(), key)).status).toBe(200);
  });

  it('gives the first answer when the chat account is gone', async () => {
    const [who, key] = [await member(), newKey()];
    const first = await send(who, key);
    const accounts = sessions.api.app.get(ChatAccounts, { strict: false });
    await sessions.dataSource.transaction((tx) => accounts.remove(tx, who.routeId));
    accounts.forget();
    expect((await send(who, key)).body).toEqual(first.body);
    const missing = { status: 404, body: { message: 'No chat account found for this username' } };
    expect(await send(who, newKey())).toMatchObject(missing);
    expect(await send(who, newKey(), { to: '', contacts: '' })).toMatchObject(missing);
  });

  it('of many at the same moment sends once', async () => {
    const [who, key, before] = [await member(), newKey(), reached()];
    sessions.upstream.answer('hold');
    const answers = Promise.all(Array.from({ length: 10 }, () => send(who, key)));
    await expect.poll(reached).toBe(before + 1);
    expect(await send(who, key)).toMatchObject({ status: 409, body: { message: RUNNING } });
    sessions.upstream.answer(null);
    const bodies = (await answers).filter(({ status }) => status === 200).map(({ body }) => JSON.stringify(body));
    expect(new Set(bodies).size).toBe(1);
    expect((await answers).every(({ status }) => status === 200 || status === 409)).toBe(true);
    expect(reached()).toBe(before + 1);
  });

  it('is free again after the provider refused', async () => {
    const [who, key] = [await member(), newKey()];
    sessions.upstream.answer({ status: 400, body: { error: { message: 'Not allowed', code: 131030 } } });
    expect((await send(who, key)).status).toBe(502);
    sessions.upstream.answer(null);
    expect((await send(who, key)).status).toBe(200);
  });

  it('is never sent again when the provider was silent, or the process died', async () => {
    const [who, key, before] = [await member(), newKey(), reached()];
    sessions.upstream.answer('silence');
    expect((await send(who, key)).status).toBe(502);
    sessions.upstream.answer(null);
    const after = reached();
    expect(after).toBeGreaterThan(before);
    const died = newKey();
    await send(who, died);
    await sessions.dataSource.query(
      `UPDATE idempotency_keys SET outcome = NULL, created_at = UTC_TIMESTAMP(3) - INTERVAL 23 HOUR
       WHERE idempotency_key = ?`,
      [died],
    );
    for (const taken of [key, died]) {
      expect(await send(who, taken)).toMatchObject({ status: 409, body: { message: RUNNING } });
    }
    expect(reached()).toBe(after + 1);
  });
});

describe('v5', () => {
  it('counts its three paths as one, in its own error shape', async () => {
    const who = await sessions.member();
    await sessions.openWindow(who, TO);
    const key = newKey();
    const first = await v5(who, key);
    for (const path of ['session1.php', 'index.php/addbroadcast']) {
      expect((await v5On(path)(who, key)).body).toEqual(first.body);
    }
    expect((await v5(who, key, { footer: 'more' })).body).toMatchObject({
      status: 'error',
      textsent: 'error',
      message: OTHER_BODY,
    });
  });

  it('is free again after Ticket Expired, and stores a scheduled message once', async () => {
    const who = await sessions.member();
    const key = newKey();
    const later = { schedule_time: '09:30:00' };
    expect((await v5(who, key, later)).body.message).toBe('Ticket Expired');
    await sessions.openWindow(who, TO);
    const first = await v5(who, key, later);
    expect(first.status).toBe(200);
    expect((await v5(who, key, later)).body).toEqual(first.body);
    expect(await sessions.stored(who)).toHaveLength(1);
  });
});
