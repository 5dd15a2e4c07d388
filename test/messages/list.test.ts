import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Json, listOf } from '../support/campaigns.js';
import type { Answer, Member } from '../support/sms.js';
import { type Messages, openMessages, PATH, SESSION, SMS } from './support.js';

let messages: Messages;
let webhooks: Messages['webhooks'];

beforeAll(async () => {
  messages = await openMessages();
  ({ webhooks } = messages);
});
afterAll(() => messages.stop());

const accepted: Messages['accepted'] = (...call) => messages.accepted(...call);
const read: Messages['read'] = (...call) => messages.read(...call);
const chatting: Messages['chatting'] = (...call) => messages.chatting(...call);

const list = (member: Member, query = ''): Promise<Answer> => webhooks.get(`${PATH}${query}`, member);

describe('the list of messages', () => {
  const PEOPLE = ['919800000001', '919800000002', '919800000003'] as const;
  let member: Member;
  let all: Json[];

  beforeAll(async () => {
    member = await chatting(...PEOPLE);
    await webhooks.send(member, [...PEOPLE, PEOPLE[0]]);
    for (const [index, to] of PEOPLE.entries()) {
      await accepted(member, { ...SMS, to, client_ref: `ref-${index}` });
      await accepted(member, { ...SESSION, to });
      await receiveSms(to, index);
      await receiveChat(to, index);
    }
    all = await pages('', 100);
  });

  const receiveSms = (from: string, index: number): Promise<unknown> =>
    webhooks.dataSource.query(
      `INSERT INTO inbound_messages (id, route_id, account_id, sender, recipient, text, encoding, parts, received_at)
       VALUES (?, 1, ?, ?, '57575', ?, 'gsm7', 1, UTC_TIMESTAMP(3))`,
      [newest(index), member.account.id, from, `SMS ${index}`],
    );
  const receiveChat = (from: string, index: number): Promise<unknown> =>
    webhooks.dataSource.query(
      `INSERT INTO chat_inbound_messages (route_id, account_id, message_id, contact, type, message, sent_at, received_at)
       VALUES (1, ?, ?, ?, 'text', ?, UTC_TIMESTAMP(3), UTC_TIMESTAMP(3))`,
      [
        member.account.id,
        `wamid.${member.account.id}.${index}`,
        from,
        JSON.stringify({ type: 'text', text: { body: `Chat ${index}` } }),
      ],
    );
  /** An id as one of this moment has it. */
  const newest = (index: number): number => (Date.now() - Date.UTC(2024, 0, 1)) * 4_096 + index;

  async function pages(query: string, limit: number, who = member): Promise<Json[]> {
    const found: Json[] = [];
    for (let cursor = ''; ;) {
      const answer = await list(who, `?limit=${limit}${query}${cursor}`);
      expect(answer.status).toBe(200);
      const page = listOf(answer);
      expect(page.length).toBeLessThanOrEqual(limit);
      found.push(...page);
      const next = answer.body['next_cursor'];
      if (next === null) return found;
      cursor = `&cursor=${next as string}`;
    }
  }
  const ids = (messages: readonly Json[]): unknown[] => messages.map(({ id }) => id);

  it('has recipients of campaigns, session messages and both kinds of inbound messages, newest first', () => {
    expect(all).toHaveLength(16);
    const kinds = new Set(all.map(({ id }) => String(id).split('_')[0]));
    expect([...kinds].sort()).toEqual(['chat', 'in', 'out', 'ses']);
    const times = all.map(({ created_at: at }) => String(at));
    expect(times).toEqual(times.toSorted().reverse());
    expect(new Set(ids(all)).size).toBe(16);
    expect(all.filter(({ direction }) => direction === 'inbound').map(({ text }) => text)).toEqual(
      expect.arrayContaining(['SMS 0', 'SMS 1', 'SMS 2', 'Chat 0', 'Chat 1', 'Chat 2']),
    );
  });

  it.each([1, 2, 3, 5, 15, 16])('comes page by page, %d at a time, without a gap or a repetition', async (limit) => {
    expect(ids(await pages('', limit))).toEqual(ids(all));
  });

  it('goes on where an account has single messages only, and where rows are gone', async () => {
    const single = await webhooks.join(10);
    const sent: unknown[] = [];
    for (let count = 0; count < 5; count++) sent.unshift((await accepted(single, SMS))['id']);
    const found = async (limit: number): Promise<unknown[]> => ids(await pages('', limit, single));
    for (const limit of [1, 2, 3, 5]) expect(await found(limit)).toEqual(sent);
    await webhooks.dataSource.query('DELETE FROM campaign_recipients WHERE campaign_id = ?', [
      Number(String(sent[1]).split('_')[1]),
    ]);
    for (const limit of [1, 2]) expect(await found(limit)).toEqual(sent.filter((_, index) => index !== 1));
  });

  it('shows each chat message once, though its moment is before that of an older one', async () => {
    const late = await webhooks.join(10);
    for (const seconds of [30, 10, 20])
      await webhooks.dataSource.query(
        `INSERT INTO chat_inbound_messages (route_id, account_id, message_id, contact, type, message, sent_at, received_at)
         VALUES (1, ?, ?, '919800000009', 'text', '{"type":"text","text":{"body":"a"}}', UTC_TIMESTAMP(3), UTC_TIMESTAMP(3) - INTERVAL ? SECOND)`,
        [late.account.id, `wamid.late.${late.account.id}.${seconds}`, seconds],
      );
    const whole = ids(await pages('', 50, late));
    expect(whole).toHaveLength(3);
    for (const limit of [1, 2]) expect(ids(await pages('', limit, late))).toEqual(whole);
  });

  it('counts pages too, up to a depth', async () => {
    expect(ids(listOf(await list(member, '?limit=5&page=2')))).toEqual(ids(all).slice(5, 10));
    expect((await list(member, '?limit=1000&page=3')).body['message']).toBe('page is too deep: go on with cursor');
  });

  it('is narrowed by direction and number, page by page', async () => {
    const inbound = all.filter(({ direction }) => direction === 'inbound');
    expect(ids(await pages('&direction=inbound', 4))).toEqual(ids(inbound));
    expect(ids(await pages('&direction=outbound', 4))).toEqual(
      ids(all.filter(({ direction }) => direction === 'outbound')),
    );
    const withFirst = all.filter(({ from, to }) => from === PEOPLE[0] || to === PEOPLE[0]);
    expect(withFirst).toHaveLength(6);
    for (const limit of [1, 2, 50]) expect(ids(await pages(`&number=%2B${PEOPLE[0]}`, limit))).toEqual(ids(withFirst));
  });

  it('is narrowed by time', async () => {
    expect(await pages('&to=2020-01-01', 50)).toEqual([]);
    expect(await pages('&from=2035-01-01', 50)).toEqual([]);
    expect(ids(await pages('&from=2020-01-01', 50))).toEqual(ids(all));
  });

  it('shows each message as it is read alone', async () => {
    for (const message of all) expect(await read(member, message['id'])).toEqual(message);
  });

  it('shows nothing of another account', async () => {
    const other = await webhooks.join(10);
    expect(listOf(await list(other))).toEqual([]);
    for (const { id } of all) {
      expect(await webhooks.get(`${PATH}/${String(id)}`, other)).toMatchObject({
        status: 404,
        body: { message: 'Message not found' },
      });
    }
    for (const id of ['out_1', 'out_1_0', 'ses_x', 'in_99999999999999999999', 'x', 'chat_0'])
      expect((await webhooks.get(`${PATH}/${id}`, other)).status).toBe(404);
  });

  it.each([
    ['direction=both', 'direction must be one of: inbound, outbound'],
    ['number=abc', 'number is invalid'],
    ['from=tomorrow', 'from is invalid'],
    ['to=tomorrow', 'to is invalid'],
    ['cursor=x', 'cursor is invalid'],
  ])('400 %s', async (query, message) => {
    expect(await list(member, `?${query}`)).toMatchObject({ status: 400, body: { message } });
  });
});
