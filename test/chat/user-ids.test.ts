import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { PHONE_NUMBER_ID } from '../support/graph-upstream.js';
import { type ChatMember, openSessions, type Sessions } from '../support/sessions.js';

const NUMBER = '4915187654321';
const USER_ID = 'DE.13491208655302741918';
const SHARED_ID = 'US.ENT.11815799212886844830';
const V5 = { brodcast_service: 'chat_credits', broadcast_message: 'Hello' };
const V6 = { messaging_product: 'chat', type: 'text', text: { body: 'Hello' } };

type Json = Record<string, unknown>;

let sessions: Sessions;
let who: ChatMember;
let serial = 0;

beforeAll(async () => {
  sessions = await openSessions();
});
afterAll(() => sessions.stop());
beforeEach(async () => {
  who = await sessions.member();
  const events = ['chat.message.received', 'chat.status.update'];
  const body = { url: 'http://127.0.0.1:9/hook', events };
  expect((await sessions.accounts.call('POST', '/v6/api/webhooks', { token: who.token, body })).status).toBe(201);
});

/** A signed callback of the account's number. */
async function told(value: Json, field = 'messages', phoneNumberId = PHONE_NUMBER_ID): Promise<Json> {
  const change = { field, value: { metadata: { phone_number_id: phoneNumberId }, ...value } };
  const body = JSON.stringify({ entry: [{ id: '1', changes: [change] }] });
  const signature = `sha256=${createHmac('sha256', 'app-secret').update(body).digest('hex')}`;
  const headers = { 'x-hub-signature-256': signature };
  const answer = await sessions.accounts.call('POST', `/provider/chat/${who.routeId}`, { headers, body });
  expect(answer.status).toBe(200);
  return answer.body;
}

const text = (body: string, sender: Json): Json => ({
  ...sender,
  id: `wamid.in${++serial}`,
  timestamp: String(Math.floor(Date.now() / 1000)),
  type: 'text',
  text: { body },
});
const wrote = (body: string, sender: Json, contacts?: Json[]): Promise<Json> =>
  told({ messages: [text(body, sender)], ...(contacts && { contacts }) });
const prefers = (value: string, sender: Json): Promise<Json> =>
  told({ user_preferences: [{ ...sender, category: 'marketing_messages', value }] }, 'user_preferences');

async function events(): Promise<Json[]> {
  const rows = await sessions.dataSource.query<{ body: string }[]>(
    'SELECT body FROM webhook_events WHERE account_id = ? ORDER BY id',
    [who.account.id],
  );
  return rows.map(({ body }) => JSON.parse(body) as Json);
}

async function stopList(): Promise<unknown[]> {
  const { body } = await sessions.accounts.call('GET', '/v6/api/suppressions', { token: who.token });
  return (body['data'] as Json[]).map(({ number }) => number);
}

describe('a message without a telephone number', () => {
  it.each([
    ['in the message', { from_user_id: USER_ID }, undefined, USER_ID],
    ['in the profile beside it', {}, [{ profile: { name: 'Jane', username: 'jane' }, user_id: USER_ID }], USER_ID],
    ['as the sender', { from: SHARED_ID }, undefined, SHARED_ID],
  ])('is kept and pushed, with the user id %s', async (_name, sender, contacts, userId) => {
    expect(await wrote('Hello', sender, contacts)).toMatchObject({ messages: 1, dropped: 0 });
    expect(await events()).toMatchObject([
      { event: 'chat.message.received', from: null, from_user_id: userId, type: 'text', text: { body: 'Hello' } },
    ]);
    const rows = await sessions.dataSource.query('SELECT contact FROM chat_inbound_messages WHERE route_id = ?', [
      who.routeId,
    ]);
    expect(rows).toEqual([{ contact: userId }]);
  });

  it('has both where both are told, and a number alone as ever', async () => {
    await wrote('Hello', { from: NUMBER, from_user_id: USER_ID });
    await wrote('Hello', { from: '4915100000002' });
    expect(await events()).toMatchObject([
      { from: NUMBER, from_user_id: USER_ID },
      { from: '4915100000002', from_user_id: null },
    ]);
  });

  it('the answer to a contact request is one, and tells the number', async () => {
    const card = { vcard: 'BEGIN:VCARD', phones: [{ phone: `+${NUMBER}` }] };
    const reply = { ...text('', { from_user_id: USER_ID }), type: 'contacts', contacts: [card] };
    await told({ messages: [{ ...reply, origin: 'contact_request/other' }] });
    expect(await events()).toMatchObject([{ from: null, from_user_id: USER_ID, contacts: [card] }]);
    await wrote('stop', { from_user_id: USER_ID });
    expect(await stopList()).toEqual([NUMBER, USER_ID]);
  });

  it('a card that nobody asked for may be anybody’s', async () => {
    const card = { phones: [{ phone: NUMBER }] };
    await told({ messages: [{ ...text('', { from_user_id: USER_ID }), type: 'contacts', contacts: [card] }] });
    await wrote('stop', { from_user_id: USER_ID });
    expect(await stopList()).toEqual([USER_ID]);
  });
});

describe('stop words without a telephone number', () => {
  it('stand on the list under the user id, and under the number as soon as it is known', async () => {
    await wrote('STOP', { from_user_id: USER_ID });
    expect(await stopList()).toEqual([USER_ID]);
    await wrote('Hello', { from: NUMBER, from_user_id: USER_ID });
    expect(await stopList()).toEqual([NUMBER, USER_ID]);
    await wrote('start', { from: NUMBER });
    expect(await stopList()).toEqual([]);
  });

  it('count for the number that a delivery has told', async () => {
    const status = { id: 'wamid.9', status: 'delivered', recipient_id: NUMBER, recipient_user_id: USER_ID };
    await told({ statuses: [status] });
    await wrote('Unsubscribe', { from_user_id: USER_ID });
    expect(await stopList()).toEqual([NUMBER, USER_ID]);
    await wrote('START', { from_user_id: USER_ID });
    expect(await stopList()).toEqual([]);
    await wrote('STOP', { from: NUMBER, from_user_id: USER_ID });
    expect(await stopList()).toEqual([NUMBER]);
  });

  it('can be taken off and put on by the owner too', async () => {
    const call = (method: string, body: Json) =>
      sessions.accounts.call(method, '/v6/api/suppressions', { token: who.token, body });
    expect((await call('POST', { numbers: [USER_ID, NUMBER] })).body['data']).toEqual({ added: 2, already: 0 });
    expect((await call('DELETE', { number: USER_ID })).body['data']).toEqual({ removed: 1 });
    expect((await call('POST', { number: 'DE.not a user id' })).status).toBe(400);
    expect(await stopList()).toEqual([NUMBER]);
  });

  it.each([
    ['a number', { wa_id: NUMBER }, [NUMBER]],
    ['a user id', { user_id: USER_ID }, [USER_ID]],
    ['both', { wa_id: NUMBER, user_id: USER_ID }, [NUMBER]],
  ])('the settings of the recipient count like them: %s', async (_name, sender, listed) => {
    expect(await prefers('stop', sender)).toMatchObject({ messages: 1, dropped: 0 });
    expect(await prefers('stop', sender)).toMatchObject({ messages: 1, dropped: 0 });
    expect(await stopList()).toEqual(listed);
    expect(await prefers('resume', sender)).toMatchObject({ messages: 1, dropped: 0 });
    expect(await stopList()).toEqual([]);
    expect(await events()).toEqual([]);
  });
});

describe('an answer to a user id', () => {
  it('goes as `recipient`, is settled by its statuses and listed', async () => {
    expect((await sessions.v6(who, { ...V6, recipient: USER_ID })).status).toBe(200);
    const { body: sent } = sessions.upstream.last;
    expect(sent).toMatchObject({ recipient: USER_ID, messaging_product: 'whatsapp', text: { body: 'Hello' } });
    expect(sent).not.toHaveProperty('to');
    const [stored] = await sessions.stored(who);
    expect(stored).toMatchObject({ receiver: USER_ID, status: 'Submitted' });
    const status = { id: stored?.providerMessageId, status: 'delivered', recipient_user_id: USER_ID };
    expect(await told({ statuses: [status] })).toMatchObject({ receipts: 1, dropped: 0 });
    expect(await sessions.stored(who)).toMatchObject([{ status: 'Delivered' }]);
    expect(await events()).toMatchObject([
      { event: 'chat.status.update', receiver: USER_ID, status: 'SENT' },
      { event: 'chat.status.update', receiver: USER_ID, status: 'DELIVERED' },
    ]);
    const { body } = await sessions.accounts.call('GET', '/v6/api/session-messages', { token: who.token });
    expect(body['data']).toMatchObject([{ to: null, recipient: USER_ID, status: 'DELIVERED' }]);
  });

  it('a number comes first where both are given', async () => {
    expect((await sessions.v6(who, { ...V6, to: NUMBER, recipient: USER_ID })).status).toBe(200);
    expect(sessions.upstream.last.body).toMatchObject({ to: NUMBER });
    expect(sessions.upstream.last.body).not.toHaveProperty('recipient');
  });

  it.each([
    ['to is required', {}],
    ['to is required', { to: '', recipient: ' ' }],
    ['to is required', { recipient: { id: USER_ID } }],
    ['type is required', { recipient: USER_ID, type: '' }],
    ['Recipient phone number is invalid', { to: 'x', recipient: USER_ID }],
    ['recipient is invalid', { recipient: NUMBER }],
    ['recipient is invalid', { recipient: 'DEU.1' }],
    ['recipient is invalid', { recipient: `DE.${'1'.repeat(129)}` }],
    ['recipient is invalid', { recipient: 'DE-1', text: {} }],
  ])('%s: %j', async (message, change) => {
    const answer = await sessions.v6(who, { ...V6, ...change });
    expect([answer.status, answer.body.message]).toEqual([400, message]);
  });

  it('v5 takes one too, within 24 hours of what the user id or its number wrote', async () => {
    const send = (body: Json) => sessions.v5(who, { ...V5, ...body });
    const expired = { status: 'error', textsent: 'error', message: 'Ticket Expired' };
    expect((await send({ recipient: USER_ID })).body).toMatchObject(expired);
    expect((await send({ recipient: 'x' })).body.message).toBe('recipient is invalid');
    expect((await send({})).body.message).toBe('contacts is required');
    await wrote('Hello', { from_user_id: USER_ID });
    expect((await send({ recipient: USER_ID })).status).toBe(200);
    expect(sessions.upstream.last.body).toMatchObject({ recipient: USER_ID });
    expect((await send({ contacts: NUMBER })).body).toMatchObject(expired);
    await wrote('It is me', { from: NUMBER, from_user_id: USER_ID });
    expect((await send({ contacts: NUMBER })).status).toBe(200);
    const other = await sessions.member();
    expect((await sessions.v5(other, { ...V5, recipient: USER_ID })).body).toMatchObject(expired);
  });

  it('v5 schedules one', async () => {
    await wrote('Hello', { from_user_id: USER_ID });
    const answer = await sessions.v5(who, { ...V5, recipient: USER_ID, schedule_time: '00:00:00' });
    expect(JSON.parse(String(answer.body.message))).toMatchObject({ contacts: [{ input: USER_ID, user_id: USER_ID }] });
    expect(await sessions.stored(who)).toMatchObject([{ receiver: USER_ID, status: 'Pending' }]);
  });
});

describe('what is dropped', () => {
  const counted = async (): Promise<Record<string, number>> => {
    const metrics = await (await fetch(`${sessions.api.url}/metrics`)).text();
    const lines = metrics.matchAll(/^switchboard_inbound_dropped_total\{.*reason="(\w+)".*\} (\d+)$/gm);
    return Object.fromEntries([...lines].map(([, reason, count]) => [reason, Number(count)]));
  };

  it.each([
    ['no_sender', () => told({ messages: [text('STOP', {})] })],
    ['no_sender', () => prefers('stop', {})],
    ['unreadable', () => told({ messages: [{ from: NUMBER, type: 'text' }] })],
    ['unreadable', () => told({ statuses: [{ id: 'wamid.1', status: 'pondered' }] })],
    ['unreadable', () => prefers('perhaps', { wa_id: NUMBER })],
    ['other_connection', () => told({ messages: [text('STOP', { from: NUMBER })] }, 'messages', '42')],
    [
      'other_connection',
      () => told({ user_preferences: [{ wa_id: NUMBER, value: 'stop' }] }, 'user_preferences', '42'),
    ],
    ['unknown_kind', () => told({}, 'account_alerts')],
  ])('is counted: %s', async (reason, tell) => {
    const before = await counted();
    expect(await tell()).toMatchObject({ receipts: 0, messages: 0, dropped: 1 });
    expect(await counted()).toEqual({ ...before, [reason]: (before[reason] ?? 0) + 1 });
    expect(await stopList()).toEqual([]);
  });
});
