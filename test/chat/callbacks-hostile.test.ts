import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type ChatMember, openSessions, type Sessions } from '../support/sessions.js';
import { PHONE_NUMBER_ID } from '../support/graph-upstream.js';

const SECRET = 'app-secret';
const TO = '4915100000001';

interface Status {
  id: string;
  status: string;
  [field: string]: unknown;
}

/** Callbacks as upstreams and strangers with a secret of their own may send them. */
describe('callbacks of chat accounts', () => {
  let sessions: Sessions;

  beforeAll(async () => {
    sessions = await openSessions();
  });
  afterAll(() => sessions.stop());

  const post = async (routeId: number, value: Record<string, unknown>): Promise<Record<string, unknown>> => {
    const changes = [{ field: 'messages', value: { metadata: { phone_number_id: PHONE_NUMBER_ID }, ...value } }];
    const body = JSON.stringify({ object: 'business_account', entry: [{ id: '1', changes }] });
    const signature = `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`;
    const headers = { 'x-hub-signature-256': signature };
    const answer = await sessions.accounts.call('POST', `/provider/chat/${routeId}`, { body, headers });
    expect([answer.status, answer.body.message]).toEqual([200, undefined]);
    return answer.body;
  };
  const tell = (routeId: number, ...statuses: Status[]) =>
    post(routeId, { statuses: statuses.map((status) => ({ timestamp: '1', recipient_id: TO, ...status })) });
  const sent = async (member: ChatMember): Promise<string> => {
    const body = { messaging_product: 'chat', to: TO, type: 'text', text: { body: 'Hello' } };
    const answer = await sessions.v6(member, body);
    return (answer.body['messages'] as { id: string }[])[0]?.id ?? '';
  };
  const wordOf = async (member: ChatMember): Promise<string | undefined> =>
    (await sessions.stored(member)).at(-1)?.status;

  const orders = (words: readonly string[]): string[][] =>
    words.length < 2
      ? [[...words]]
      : words.flatMap((word) => orders(words.filter((other) => other !== word)).map((rest) => [word, ...rest]));

  it.each(orders(['sent', 'delivered', 'read']))('move forward only: %s, %s, %s', async (...words) => {
    const member = await sessions.member();
    const id = await sent(member);
    for (const status of words) await tell(member.routeId, { id, status });
    expect(await wordOf(member)).toBe('Read');
    // The upstream repeats whatever it is not sure of, also within one callback.
    await tell(member.routeId, ...words.concat(words).map((status) => ({ id, status })));
    expect(await wordOf(member)).toBe('Read');
    await tell(member.routeId, { id, status: 'failed', errors: [{ code: 131026, title: 'late' }] });
    expect((await sessions.stored(member)).at(-1)).toMatchObject({
      status: 'Read',
      errorCode: null,
      errorMessage: null,
    });
  });

  it('keep a failure final', async () => {
    const member = await sessions.member();
    const id = await sent(member);
    await tell(member.routeId, { id, status: 'failed', errors: [{ code: 131026, title: 'Message undeliverable' }] });
    await tell(member.routeId, { id, status: 'sent' }, { id, status: 'delivered' });
    expect((await sessions.stored(member)).at(-1)).toMatchObject({
      status: 'Failed',
      errorCode: 131026,
      errorMessage: 'Message undeliverable',
    });
  });

  it('never touch another account’s messages, though secret and number are the same', async () => {
    const [victim, stranger] = [await sessions.member(), await sessions.member()];
    const id = await sent(victim);
    const reference = sessions.upstream.last.body['biz_opaque_callback_data'];
    const failed = {
      id,
      status: 'failed',
      biz_opaque_callback_data: reference,
      errors: [{ code: 1, title: 'forged' }],
    };
    await tell(stranger.routeId, failed);
    expect(await wordOf(victim)).toBe('Submitted');
    expect(await sessions.stored(stranger)).toEqual([]);
    await tell(victim.routeId, { id, status: 'delivered' });
    expect(await wordOf(victim)).toBe('Delivered');
  });

  it('never settle a send of unknown outcome of another account', async () => {
    const [victim, stranger] = [await sessions.member(), await sessions.member()];
    sessions.upstream.answer('silence');
    const body = { messaging_product: 'chat', to: TO, type: 'text', text: { body: 'Hello' } };
    expect((await sessions.v6(victim, body)).status).toBe(502);
    sessions.upstream.answer(null);
    const reference = sessions.upstream.last.body['biz_opaque_callback_data'];
    await tell(stranger.routeId, { id: 'wamid.unknown', status: 'delivered', biz_opaque_callback_data: reference });
    expect(await wordOf(victim)).toBe('Unknown');
  });

  it('of 1 MB are taken whole', async () => {
    const member = await sessions.member();
    const id = await sent(member);
    const statuses = Array.from({ length: 5_000 }, (_, index) => ({
      id: `wamid.HBgLNDkxNTEwMDAwMDAwMRUCABEYEj${index}`,
      status: 'delivered',
      timestamp: '1',
      recipient_id: TO,
    }));
    const many = { statuses: [...statuses, { id, status: 'read', recipient_id: TO }] };
    expect(JSON.stringify(many).length).toBeGreaterThan(500_000);
    expect(await post(member.routeId, many)).toMatchObject({ receipts: 5_001, dropped: 0 });
    expect(await wordOf(member)).toBe('Read');
    const messages = Array.from({ length: 5_000 }, (_, index) => ({
      from: `49152${String(index % 5_000).padStart(5, '0')}`,
      id: `wamid.in.${index}`,
      timestamp: '1700000000',
      type: 'text',
      text: { body: `"\\ ${index}` },
    }));
    expect(await post(member.routeId, { messages })).toMatchObject({ messages: 5_000, dropped: 0 });
    expect(await post(member.routeId, { messages })).toMatchObject({ messages: 5_000, dropped: 0 });
    const [row] = await sessions.dataSource.query<{ count: number }[]>(
      'SELECT COUNT(*) AS count FROM chat_inbound_messages WHERE route_id = ?',
      [member.routeId],
    );
    expect(Number(row?.count)).toBe(5_000);
  });

  it.each<[string, Record<string, unknown>]>([
    ['half a character in an id', { id: 'wamid.\ud800' }],
    ['a NUL in an id', { id: 'wamid.\u0000' }],
    ['an id of 128 characters of four bytes', { id: '😀'.repeat(64) }],
    ['an id that is too long', { id: 'x'.repeat(129) }],
    ['a recipient of 10,000 digits', { recipient_id: '4'.repeat(10_000) }],
    ['a recipient that is no number', { recipient_id: { a: 1 } }],
    ['a code beyond every column', { status: 'failed', errors: [{ code: 9_007_199_254_740_991, title: 'x' }] }],
    ['a negative code', { status: 'failed', errors: [{ code: -9_007_199_254_740_991 }] }],
    ['half a character in a text', { status: 'failed', errors: [{ code: 1, title: '\udfff\u0000' }] }],
    ['an endless text', { status: 'failed', errors: [{ code: 1, title: '😀'.repeat(5_000) }] }],
    ['an endless reference', { biz_opaque_callback_data: '1'.repeat(5_000) }],
    ['a reference that is none', { biz_opaque_callback_data: '\u0000-\ud800' }],
  ])('with %s spoil nothing for those that come at the same moment', async (_what, odd) => {
    const [good, bad] = [await sessions.member(), await sessions.member()];
    const [id, own] = [await sent(good), await sent(bad)];
    await Promise.all([
      tell(bad.routeId, { id: own, status: 'delivered', ...odd }),
      tell(good.routeId, { id, status: 'delivered' }),
    ]);
    expect(await wordOf(good)).toBe('Delivered');
    // The sweep of what nobody knows meets the same values again.
    const [row] = await sessions.dataSource.query<{ unmatched: number }[]>(
      'SELECT COUNT(*) AS unmatched FROM parked_receipts WHERE route_id = ?',
      [good.routeId],
    );
    expect(Number(row?.unmatched)).toBe(0);
  });

  it.each<[string, Record<string, unknown>]>([
    ['half a character', { id: 'in.\ud800', text: { body: '\ud800' }, type: '\udfff' }],
    ['a NUL', { id: 'in.\u0000', text: { body: '\u0000' }, type: '\u0000' }],
    ['four bytes a character', { id: '😀'.repeat(64), text: { body: '😀' }, type: '😀'.repeat(40) }],
    ['a time that is none', { timestamp: 'soon' }],
    ['a time before time', { timestamp: '-62135596800' }],
    ['a time after time', { timestamp: '99999999999999999999' }],
    ['a type that is none', { type: { a: 1 } }],
    ['a sender of 32 digits', { from: '4'.repeat(32) }],
  ])('with %s in an inbound message are taken', async (_what, odd) => {
    const member = await sessions.member();
    const message = { from: TO, id: 'in.1', timestamp: '1700000000', type: 'text', text: { body: 'x' }, ...odd };
    expect(await post(member.routeId, { messages: [message] })).toMatchObject({ messages: 1, dropped: 0 });
  });

  it('tell of no message that a contact did not write: a new number opens no window', async () => {
    const member = await sessions.member();
    const system = { type: 'user_changed_number', new_wa_id: '4915100000002' };
    const timestamp = String(Math.floor(Date.now() / 1000));
    await post(member.routeId, { messages: [{ from: TO, id: 'in.system', timestamp, type: 'system', system }] });
    const v5 = { brodcast_service: 'chat_credits', contacts: TO, broadcast_message: 'Hello' };
    expect((await sessions.v5(member, v5)).body).toMatchObject({ message: 'Ticket Expired' });
    await post(member.routeId, {
      messages: [{ from: TO, id: 'in.text', timestamp, type: 'text', text: { body: 'x' } }],
    });
    await vi.waitFor(async () => expect((await sessions.v5(member, v5)).status).toBe(200), { timeout: 60_000 });
  });
});
