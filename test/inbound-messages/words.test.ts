import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { AlarmRounds } from '../../src/modules/alarms/alarm-rounds.js';
import { dataOf, type Json, listOf } from '../support/campaigns.js';
import { numbers } from '../support/client.js';
import { RouteDirectory } from '../../src/modules/providers/index.js';
import { Gateway } from '../support/gateway.js';
import type { Answer, Member } from '../support/sms.js';
import { PATIENCE, TwoWay } from './support.js';

const KEYWORDS = '/v6/api/account/keywords';
const STAFF = '/v6/api/admin';

describe('words, owners and answers', () => {
  let two: TwoWay;
  let staff: Member;
  const to = numbers(60, '9198765400');
  let next = 0;
  const fresh = (): string => String(to[next++]);

  beforeAll(async () => {
    two = await TwoWay.open({ ALARM_HOLD: 0 });
    staff = await two.campaigns.join(0, { userType: 'super' });
  });
  afterAll(() => two.close());

  const put = (member: Member, body: unknown): Promise<Answer> => call('PUT', KEYWORDS, member, body);
  const call = (method: string, path: string, member: Member, body?: unknown): Promise<Answer> =>
    two.campaigns.request(path, {
      method,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${member.token}` },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const autoReply = async (member: Member, number: string): Promise<unknown[]> =>
    (await two.texts(member, `?from=${number}`)).map(({ auto_reply: state }) => state).reverse();
  const bodyOf = (pdu: Json | undefined): string =>
    ((pdu?.['short_message'] as { message?: string } | undefined)?.message ?? '').toString();

  it('lists, replaces and removes keywords, and refuses what is none', async () => {
    const member = await two.campaigns.join();
    expect((await put(member, { word: ' “Info!” ', action: 'reply', reply: 'Open' })).status).toBe(200);
    expect((await put(member, { word: 'INFO', action: 'event' })).status).toBe(200);
    expect(listOf(await call('GET', KEYWORDS, member))).toMatchObject([{ word: 'INFO', action: 'event', reply: null }]);
    const message = async (body: unknown): Promise<unknown> => (await put(member, body)).body['message'];
    expect(await message({ action: 'event' })).toBe('word is required');
    expect(await message({ word: '!!!', action: 'event' })).toBe('word must have 1 to 64 letters or digits');
    expect(await message({ word: 'A', action: 'x' })).toBe('action must be one of: suppress, reply, event');
    expect(await message({ word: 'stop', action: 'event' })).toBe('This word keeps its own effect');
    expect(await message({ word: 'start', action: 'suppress' })).toBe('This word keeps its own effect');
    expect(await message({ word: 'A', action: 'reply' })).toBe('reply is required');
    expect(await message({ word: 'A', action: 'reply', reply: 'x'.repeat(613) })).toBe('reply is invalid');
    expect(await message({ word: 'A', action: 'reply', reply: { a: 1 } })).toBe('reply is invalid');
    await two.campaigns.dataSource.query(
      `INSERT INTO account_keywords (account_id, word, action, updated_at)
       WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 199)
       SELECT ?, CONCAT('W', i), 'event', UTC_TIMESTAMP(3) FROM n`,
      [member.account.id],
    );
    expect(await message({ word: 'ONEMORE', action: 'event' })).toBe('At most 200 keywords are allowed');
    expect((await call('DELETE', `${KEYWORDS}/info`, member)).body['message']).toBe('Keyword removed successfully');
    expect((await call('DELETE', `${KEYWORDS}/info`, member)).status).toBe(404);
  });

  it.each(['STOP!', 'opt-out', '“Cancel”', '🛑 quit 🛑', 'BAJA.'])('obeys %j and lifts it by UNSTOP', async (word) => {
    const [member, number] = [await two.campaigns.join(), fresh()];
    await put(member, { word: 'baja', action: 'suppress' });
    await two.reach(member, [number]);
    expect(await two.say(number, Buffer.from(word, 'utf16le').swap16(), { data_coding: 8 })).toBe(0);
    expect(await two.stopped(member)).toEqual([number]);
    expect(await two.say(number, 'unstop')).toBe(0);
    expect(await two.stopped(member)).toEqual([]);
  });

  it('silences a person in the middle of a campaign, and refunds what has not left', async () => {
    const member = await two.campaigns.join();
    const [number, ...others] = numbers(400, '9198765401');
    await two.reach(member, [String(number)]);
    const login = { host: '127.0.0.1', port: two.smsc.port, system_id: 'twoway', password: 'secret' };
    await two.addRoute('slow', 'smpp', login, false, 20);
    const fields = { brodcast_service: 'slow' };
    const requestId = await two.campaigns.send(member, [...others.slice(0, 120), String(number)], fields);
    await vi.waitUntil(() => two.submitsTo(String(others[0])).length > 0, PATIENCE);
    expect(await two.say(String(number), 'STOP')).toBe(0);
    expect(await two.stopped(member)).toEqual([number]);
    await vi.waitUntil(async () => {
      const contact = listOf(await two.campaigns.get(`/v6/api/campaigns/${requestId}/contacts?limit=200`, member))[120];
      return contact?.['errorMessage'] === 'Suppressed';
    }, PATIENCE);
    expect(two.submitsTo(String(number))).toHaveLength(1);
    const [row] = await two.campaigns.dataSource.query<{ refunded: number }[]>(
      'SELECT refunded_credits AS refunded FROM campaigns WHERE request_id = ?',
      [requestId],
    );
    expect(Number(row?.refunded)).toBe(1);
  });

  it('confirms a stop once in 24 hours, and answers nobody who looks automatic', async () => {
    const [member, number] = [await two.campaigns.join(), fresh()];
    await put(member, { word: 'STOP', action: 'suppress', reply: 'You get no more messages' });
    await put(member, { word: 'HELP', action: 'reply', reply: 'Call 1234' });
    await two.reach(member, [number]);
    expect(await two.say(number, 'quit')).toBe(0);
    await vi.waitUntil(() => two.submitsTo(number).length === 2, PATIENCE);
    const confirmation = two.submitsTo(number)[1];
    expect(bodyOf(confirmation)).toBe('You get no more messages');
    expect(confirmation?.['source_addr']).toBe('57575');
    await vi.waitUntil(async () => (await autoReply(member, number))[0] === 'sent', PATIENCE);
    for (const word of ['help', 'help', 'help']) expect(await two.say(number, word)).toBe(0);
    expect(await autoReply(member, number)).toEqual(['sent', 'silent', 'automatic', 'automatic']);
    // The stop list holds for everything else.
    const after = await two.campaigns.send(member, [number]);
    await vi.waitUntil(async () => {
      const [contact] = listOf(await two.campaigns.get(`/v6/api/campaigns/${after}/contacts`, member));
      return contact?.['errorMessage'] === 'Suppressed';
    }, PATIENCE);
    expect(two.submitsTo(number)).toHaveLength(2);
    await two.workers[0]?.get(AlarmRounds).run();
    const alarms = listOf(await call('GET', `${STAFF}/alarms`, staff));
    expect(alarms.map(({ kind, subject }) => [kind, subject])).toContainEqual(['inbound_automatic', 'main']);
  });

  it('charges an automatic answer as an SMS, and tells where no credits are left', async () => {
    const [member, number, other] = [await two.campaigns.join(), fresh(), fresh()];
    await put(member, { word: 'INFO', action: 'reply', reply: 'We are open' });
    await two.reach(member, [number]);
    const ledger = async (): Promise<unknown> => listOf(await two.campaigns.get('/v6/api/account/credits', member));
    const before = JSON.stringify(await ledger());
    await two.say(number, 'info');
    await vi.waitUntil(async () => (await autoReply(member, number))[0] === 'sent', PATIENCE);
    expect(JSON.stringify(await ledger())).not.toBe(before);
    const poor = await two.campaigns.join(1);
    await put(poor, { word: 'INFO', action: 'reply', reply: 'We are open' });
    await two.reach(poor, [other]);
    await two.say(other, 'info');
    await vi.waitUntil(async () => (await autoReply(poor, other))[0] === 'failed', PATIENCE);
  });

  it('gives a text to the account of its number or keyword, else to the last sender, else to the operator', async () => {
    const [first, second, number, stranger] = [
      await two.campaigns.join(),
      await two.campaigns.join(),
      fresh(),
      '919999000001',
    ];
    const numbersOf = `${STAFF}/inbound-numbers`;
    const body = { number: '88 00', route: 'main', username: first.account.username };
    const added = await call('POST', numbersOf, staff, body);
    expect(added.status).toBe(201);
    expect(dataOf(added)).toMatchObject({ number: '8800', route: 'main', keyword: null });
    expect((await call('POST', numbersOf, staff, body)).status).toBe(409);
    const shop = { ...body, username: second.account.username, keyword: 'shop' };
    const shopId = dataOf(await call('POST', numbersOf, staff, shop))['id'];
    for (const [field, value] of [
      ['number', 'x'],
      ['route', 'none'],
      ['keyword', 'two words'],
    ] as const)
      expect((await call('POST', numbersOf, staff, { ...body, [field]: value })).body['message']).toBe(
        `${field} is invalid`,
      );
    expect((await call('POST', numbersOf, staff, {})).body['message']).toBe('number is required');
    expect((await call('POST', numbersOf, staff, { ...body, username: 'nobody' })).status).toBe(404);
    expect(listOf(await call('GET', numbersOf, staff)).length).toBeGreaterThan(1);

    await two.reach(second, [number]);
    await two.say(number, 'hello', { destination_addr: '8800' });
    await two.say(number, 'Shop: open?', { destination_addr: '8800' });
    await two.say(number, 'to nobody');
    const textsOf = async (member: Member): Promise<unknown[]> =>
      (await two.texts(member)).map(({ text, keyword }) => [text, keyword]);
    expect(await textsOf(first)).toEqual([['hello', null]]);
    expect(await textsOf(second)).toEqual([
      ['to nobody', null],
      ['Shop: open?', 'SHOP'],
    ]);
    expect((await call('DELETE', `${numbersOf}/${String(shopId)}`, staff)).status).toBe(200);
    expect((await call('DELETE', `${numbersOf}/${String(shopId)}`, staff)).status).toBe(404);

    await two.say(stranger, 'who are you?');
    const inbox = async (query = ''): Promise<Json[]> =>
      listOf(await call('GET', `${STAFF}/inbound-messages${query}`, staff));
    const [unowned] = await inbox(`?from=${stranger}`);
    expect(unowned).toMatchObject({ text: 'who are you?', username: null, route: 'main' });
    await two.campaigns.dataSource.query('UPDATE inbound_messages SET owner_due = NULL WHERE sender = ?', [stranger]);
    await two.workers[0]?.get(AlarmRounds).run();
    const alarms = listOf(await call('GET', `${STAFF}/alarms`, staff));
    expect(alarms.map(({ kind }) => kind)).toContain('inbound_unowned');
    const assign = (id: unknown, username?: string): Promise<Answer> =>
      call('POST', `${STAFF}/inbound-messages/${String(id)}/assign`, staff, { username });
    expect((await assign(unowned?.['id'])).body['message']).toBe('username is required');
    expect((await assign(1, first.account.username)).status).toBe(404);
    const path = await two.hook(first);
    expect((await assign(unowned?.['id'], first.account.username)).status).toBe(200);
    expect((await assign(unowned?.['id'], first.account.username)).status).toBe(409);
    expect(await textsOf(first)).toContainEqual(['who are you?', null]);
    await vi.waitUntil(() => two.receiver.to(path).length > 0, PATIENCE);
    expect(await inbox(`?username=${first.account.username}`)).toHaveLength(2);
    expect((await call('GET', `${STAFF}/inbound-messages?username=nobody`, staff)).status).toBe(404);
  });

  it('finds the owner of a text that comes before its message is recorded', async () => {
    const [member, number] = [await two.campaigns.join(), fresh()];
    await two.say(number, 'quick');
    expect(await two.texts(member)).toEqual([]);
    await two.reach(member, [number]);
    await vi.waitUntil(async () => (await two.texts(member)).length === 1, PATIENCE);
  });

  it('answers a text of unofficial chat over its route', async () => {
    const [member, number] = [await two.campaigns.join({ gsm_credits: 10, bulk_chat_credits: 10 }), fresh()];
    await two.reach(member, [number]);
    await two.say(number, 'When?');
    const [text] = await two.texts(member);
    const gateway = await Gateway.open();
    const routes = two.campaigns.part(RouteDirectory);
    const draft = { name: 'chats', channel: 'unofficial', driver: 'http', messagesPerSecond: null } as const;
    const { id } = await two.campaigns.dataSource.transaction((tx) =>
      routes.put(tx, { ...draft, config: gateway.config, isDefault: false }),
    );
    routes.forget();
    await two.campaigns.dataSource.query('UPDATE inbound_messages SET route_id = ? WHERE id = ?', [id, text?.['id']]);
    const path = `/v6/api/inbound-messages/${String(text?.['id'])}/reply`;
    const answer = await two.campaigns.post(path, member, { message: 'At noon. '.repeat(30) });
    expect([answer.status, dataOf(answer)['credits']]).toEqual([201, 1]);
    await vi.waitUntil(() => gateway.taken.length > 0, PATIENCE);
    expect(gateway.taken[0]).toMatchObject({ to: number });
    // by the length of chat, not of SMS
    expect((await two.campaigns.post(path, member, { message: 'x'.repeat(1_500) })).status).toBe(201);
    const long = await two.campaigns.post(path, member, { message: 'x'.repeat(1_501) });
    expect([long.status, long.body['message']]).toEqual([400, 'Message is too long']);
    expect(two.submitsTo(number)).toHaveLength(1);
    await gateway.close();
  });

  it('answers over the same route, under the number of the text, at the price of an SMS', async () => {
    const [member, number] = [await two.campaigns.join(), fresh()];
    await two.reach(member, [number]);
    await two.say(number, 'When?', { destination_addr: '919000000001' });
    const [text] = await two.texts(member);
    const path = `/v6/api/inbound-messages/${String(text?.['id'])}/reply`;
    const key = { 'idempotency-key': `reply-${number}` };
    const answer = await two.campaigns.post(path, member, { message: 'Tomorrow at noon. '.repeat(10) }, key);
    const other = await two.campaigns.post(path, member, { message: 'At one.' }, key);
    expect([other.status, other.body['message']]).toEqual([422, 'Idempotency-Key was used with another body']);
    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject({ message: 'Reply queued successfully', data: { credits: 2 } });
    await vi.waitUntil(() => two.submitsTo(number).length === 3, PATIENCE);
    expect(two.submitsTo(number)[1]?.['source_addr']).toBe('919000000001');
    const refusal = async (id: unknown, body: unknown, who = member): Promise<unknown[]> => {
      const refused = await two.campaigns.post(`/v6/api/inbound-messages/${String(id)}/reply`, who, body);
      return [refused.status, refused.body['message']];
    };
    expect(await refusal(text?.['id'], {})).toEqual([400, 'message is required']);
    expect(await refusal(text?.['id'], { message: { a: 1 } })).toEqual([400, 'message is invalid']);
    expect(await refusal(text?.['id'], { message: 'x'.repeat(700) })).toEqual([400, 'Message is too long']);
    expect((await refusal(text?.['id'], { message: 'x', validity_s: 1 }))[0]).toBe(400);
    expect((await refusal(text?.['id'], { message: 'x', dlt_template_id: 'x' }))[0]).toBe(400);
    expect((await refusal('x', { message: 'x' }))[0]).toBe(404);
    expect((await refusal(text?.['id'], { message: 'x' }, await two.campaigns.join()))[0]).toBe(404);
    await two.say('Shop', 'from a name', { source_addr_ton: 5 });
    await two.campaigns.dataSource.query("UPDATE inbound_messages SET account_id = ? WHERE sender = 'Shop'", [
      member.account.id,
    ]);
    const [named] = await two.texts(member, '?from=Shop');
    expect((await refusal(named?.['id'], { message: 'x' }))[0]).toBe(409);
    await two.campaigns.dataSource.query('UPDATE inbound_messages SET route_id = 99999 WHERE id = ?', [text?.['id']]);
    expect((await refusal(text?.['id'], { message: 'x' }))[0]).toBe(503);
  });
});
