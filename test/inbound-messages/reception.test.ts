import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { encodeGsm } from '../../src/kernel/gsm-alphabet.js';
import { dataOf, type Json } from '../support/campaigns.js';
import { numbers } from '../support/client.js';
import type { Member } from '../support/sms.js';
import { PATIENCE, TwoWay } from './support.js';

const ucs2 = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16();
const part = (header: number[], body: Buffer): Buffer => Buffer.concat([Buffer.of(header.length, ...header), body]);

describe('texts of handsets over SMPP', () => {
  let two: TwoWay;
  let member: Member;
  let hook: string;
  let requestId: string;
  const to = numbers(44, '9198123400');
  let next = 1;
  const fresh = (): string => String(to[next++]);

  beforeAll(async () => {
    two = await TwoWay.open({ INBOUND_PARTS_TIMEOUT: 1_500 }, 2);
    member = await two.campaigns.join();
    hook = await two.hook(member);
    requestId = await two.reach(member, to);
  });
  afterAll(() => two.close());

  const from = async (number: string): Promise<Json[]> => two.texts(member, `?from=${number}`);
  const events = (number: string): Json[] =>
    two.receiver.to(hook).flatMap(({ body }) => (body['from'] === number ? [body] : []));

  it('are stored, pushed, listed, and in the timeline of the message they answer', async () => {
    const [number = ''] = to;
    expect(await two.say(number, 'Yes, please')).toBe(0);
    const [text] = await from(number);
    const shown = {
      ...{ from: number, to: '57575', text: 'Yes, please', encoding: 'gsm7', parts: 1, incomplete: false },
      ...{ keyword: null, in_reply_to: { request_id: requestId, seq: 1 } },
    };
    expect(text).toEqual({
      ...shown,
      id: expect.any(Number) as number,
      auto_reply: null,
      received_at: expect.stringMatching(/^2/) as string,
    });
    await vi.waitUntil(() => events(number).length > 0, PATIENCE);
    expect(events(number)).toEqual([
      {
        ...shown,
        event: 'sms.message.received',
        id: text?.['id'],
        received_at: expect.stringMatching(/^20.*Z$/) as string,
      },
    ]);
    const timeline = dataOf(await two.campaigns.get(`/v6/api/campaigns/${requestId}/contacts/1/timeline`, member));
    const answers = (timeline['events'] as Json[]).filter(({ event }) => event === 'answer');
    expect(answers.map(({ details }) => details)).toEqual([
      { id: text?.['id'], from: number, text: 'Yes, please', keyword: null },
    ]);
    const one = await two.campaigns.get(`/v6/api/inbound-messages/${String(text?.['id'])}`, member);
    expect(dataOf(one)).toEqual(text);
    const other = await two.campaigns.join();
    expect((await two.campaigns.get(`/v6/api/inbound-messages/${String(text?.['id'])}`, other)).status).toBe(404);
  });

  it.each<[string, Buffer, Json, string]>([
    ['GSM 03.38', encodeGsm('@£ €{}'), { data_coding: 0 }, '@£ €{}'],
    ['UCS-2', ucs2('हाँ 👍'), { data_coding: 8 }, 'हाँ 👍'],
    ['8-bit data', Buffer.from('00ff', 'hex'), { data_coding: 4 }, '00ff'],
    [
      'the tables of a language',
      Buffer.concat([Buffer.from('06250101240101', 'hex'), Buffer.from([0x40, 0x0b])]),
      { data_coding: 0, esm_class: 0x40 },
      'İĞ',
    ],
    ['quotes and a null', Buffer.from('a\\"\'\u0007', 'latin1'), { data_coding: 1 }, 'a\\"\'\u0007'],
  ])('keep their characters: %s', async (_, bytes, fields, text) => {
    const number = fresh();
    expect(await two.say(number, bytes, fields)).toBe(0);
    expect(await from(number)).toMatchObject([{ text }]);
  });

  it.each([
    ['national by its type', '09812340005', 2, '919812340005'],
    ['national of unknown type', '9812340006', 0, '919812340006'],
    ['with a trunk zero', '09812340007', 0, '919812340007'],
    ['international of unknown type', '919812340008', 0, '919812340008'],
    ['with a plus', '+919812340009', 0, '919812340009'],
    ['a number of another country', '4915112345678', 1, '4915112345678'],
  ])('know their sender: %s', async (_, source, ton, number) => {
    const rows = (): Promise<unknown[]> =>
      two.campaigns.dataSource.query<unknown[]>('SELECT 1 FROM inbound_messages WHERE sender = ?', [number]);
    const before = await rows();
    expect(await two.say(source, 'hello', { source_addr_ton: ton })).toBe(0);
    const after = await rows();
    expect(after.length).toBe(before.length + 1);
  });

  it('are put together from parts of both binds, in any order', async () => {
    const number = fresh();
    const [one, other] = two.smsc.sessions;
    const coded = { esm_class: 0x40, data_coding: 8 };
    const bytes = ucs2('Zug 😀 fährt');
    const cuts = [bytes.subarray(12), bytes.subarray(0, 10), bytes.subarray(10, 12)];
    const says = [3, 1, 2].map((seq, index) =>
      two.say(number, part([0, 3, 77, 3, seq], cuts[index] as Buffer), coded, index === 1 ? other : one),
    );
    expect(await Promise.all(says)).toEqual([0, 0, 0]);
    await vi.waitUntil(async () => (await from(number)).length > 0, PATIENCE);
    expect(await from(number)).toMatchObject([{ text: 'Zug 😀 fährt', parts: 3, incomplete: false, encoding: 'ucs2' }]);
    await vi.waitUntil(() => events(number).length > 0, PATIENCE);
    expect(events(number)).toHaveLength(1);
  });

  it('are put together in the tables of a language that their parts name', async () => {
    const number = fresh();
    const elements = (seq: number): number[] => [0, 3, 78, 2, seq, 0x25, 1, 6];
    for (const [index, body] of [
      [0x2f, 0x42],
      [0x4c, 0x5f, 0x27, 0x59],
    ].entries())
      await two.say(number, part(elements(index + 1), Buffer.from(body)), { esm_class: 0x40, data_coding: 0 });
    await vi.waitUntil(async () => (await from(number)).length > 0, PATIENCE);
    expect(await from(number)).toMatchObject([{ text: 'नमस्ते', parts: 2, encoding: 'gsm7' }]);
  });

  it('are put together by SAR, and incomplete where parts never come', async () => {
    const [sar, lost] = [fresh(), fresh()];
    const sarPart = (seq: number) => ({ sar_msg_ref_num: 5, sar_total_segments: 2, sar_segment_seqnum: seq });
    expect(await two.say(sar, 'one ', sarPart(1))).toBe(0);
    expect(await two.say(lost, part([8, 4, 1, 2, 3, 2], Buffer.from('the middle')), { esm_class: 0x40 })).toBe(0);
    expect(await from(sar)).toEqual([]);
    expect(await two.say(sar, 'two', sarPart(2))).toBe(0);
    expect(await from(sar)).toMatchObject([{ text: 'one two', parts: 2, incomplete: false }]);
    await vi.waitUntil(async () => (await from(lost)).length > 0, PATIENCE);
    expect(await from(lost)).toMatchObject([{ text: 'the middle', parts: 3, incomplete: true }]);
    await vi.waitUntil(() => events(lost).length > 0, PATIENCE);
    expect(events(lost)).toMatchObject([{ incomplete: true, parts: 3 }]);
  });

  it('are not mixed where a reference is used again before the first message is complete', async () => {
    const number = fresh();
    const say = (seq: number, text: string) =>
      two.say(number, part([0, 3, 9, 2, seq], Buffer.from(text)), { esm_class: 0x40 });
    await say(1, 'old-');
    await say(1, 'new-');
    await say(2, 'end');
    await vi.waitUntil(async () => (await from(number)).length === 2, PATIENCE);
    const texts = (await from(number)).map(({ text, incomplete }) => [text, incomplete]);
    expect(texts).toContainEqual(['new-end', false]);
    expect(texts).toContainEqual(['old-', true]);
  });

  it('are one text where the carrier repeats a delivery, and two where a person says the same again', async () => {
    const [repeated, again] = [fresh(), fresh()];
    const [one, other] = two.smsc.sessions;
    const pdu = { sequence_number: 4_711 };
    expect(await two.say(repeated, 'ok', pdu, one)).toBe(0);
    // The sequence of npm smpp moves on; a repetition over the other bind comes before the first one is settled.
    expect(await two.say(repeated, 'ok', {}, other)).toBe(0);
    expect(await from(repeated)).toHaveLength(1);
    expect(await two.say(again, 'ok', {}, one)).toBe(0);
    expect(await two.say(again, 'ok', {}, one)).toBe(0);
    expect(await from(again)).toHaveLength(2);
  });

  it('are two over two binds whose sequence numbers are the same, once the carrier knows of the first', async () => {
    const [number, other] = [fresh(), fresh()];
    const [one, second] = two.smsc.sessions;
    const pdu = { sequence_number: 90_001 };
    expect(await two.say(number, 'yes', pdu, one)).toBe(0);
    await vi.waitUntil(async () => {
      await two.say(other, `heard ${String(Math.random())}`, {}, one);
      const [row] = await two.campaigns.dataSource.query<{ count: string }[]>(
        'SELECT COUNT(*) AS count FROM inbound_deliveries WHERE MOD(sequence, 4294967296) = 90001 AND acknowledged = 1',
      );
      return Number(row?.count) === 1;
    }, PATIENCE);
    expect(await two.say(number, 'yes', pdu, second)).toBe(0);
    expect(await from(number)).toHaveLength(2);
    expect(await two.say(number, 'yes', pdu, second)).toBe(0);
    expect(await from(number)).toHaveLength(2);
  });

  it('come over the callbacks of a gateway, each once', async () => {
    const number = fresh();
    const secret = await two.addRoute('gateway', 'http', {
      url: 'http://127.0.0.1:1/',
      country: 'IN',
      inbound: { from_path: 'msisdn', to_path: 'shortcode', text_path: 'body', message_id_path: 'id' },
    });
    const post = (body: Json) =>
      two.campaigns.request(`/provider/sms/gateway/${secret}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    const text = { msisdn: `+${number}`, shortcode: '57 575', body: 'पानी', id: 'mo-1' };
    expect((await post(text)).status).toBe(200);
    expect((await post(text)).status).toBe(200);
    expect((await post({ ...text, id: 'mo-2' })).status).toBe(200);
    const rows: Json[] = await two.campaigns.dataSource.query(
      'SELECT recipient, text, encoding FROM inbound_messages WHERE sender = ?',
      [number],
    );
    expect(rows).toEqual([1, 2].map(() => ({ recipient: '57575', text: 'पानी', encoding: 'ucs2' })));
  });

  it('are listed by sender, number and keyword, page by page', async () => {
    const number = fresh();
    for (const [index, text] of ['a', 'b', 'stop', 'c'].entries())
      await two.say(number, text, { destination_addr: index === 1 ? '99' : '57575' });
    const texts = async (query: string): Promise<unknown[]> => (await two.texts(member, query)).map(({ text }) => text);
    expect(await texts(`?from=%2B${number}`)).toEqual(['c', 'stop', 'b', 'a']);
    expect(await texts(`?from=${number}&to=99`)).toEqual(['b']);
    expect(await texts(`?from=${number}&keyword=stop`)).toEqual(['stop']);
    const first = await two.campaigns.get(`/v6/api/inbound-messages?from=${number}&limit=3`, member);
    const cursor = String(first.body['next_cursor']);
    expect(await texts(`?from=${number}&limit=3&cursor=${cursor}`)).toEqual(['a']);
  });
});
