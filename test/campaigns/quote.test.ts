import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RecipientStatus } from '../../src/modules/engine/index.js';
import { RecipientSearch } from '../../src/modules/campaigns/contacts/recipient-search.store.js';
import { openCampaigns, type Campaigns, dataOf, type Json, listOf } from '../support/campaigns.js';
import { giveRatePlan } from '../support/rate-plan.js';
import { type Answer, expectRefused, type Member } from '../support/sms.js';
import { storeCampaign } from '../support/stored-campaign.js';
import { NumberSenders } from '../../src/modules/campaigns/index.js';

const CHANNELS = 'channel must be one of: sms, unofficial, template, branded, voice';
const GOOD = { channel: 'sms', message: 'Hello', contacts: ['919812345678'] };

let campaigns: Campaigns;
let owner: Member;

beforeAll(async () => {
  campaigns = await openCampaigns();
  owner = await campaigns.join(
    { gsm_credits: 1_000, bulk_chat_credits: 5, chat_auth_credits: 7 },
    { timeZone: 'Asia/Kolkata' },
  );
});
afterAll(() => campaigns.stop());

/** Of the entries from the fifth on. */
const badRow = ([value, refused]: readonly [string, string], at: number) => ({
  row: at + 5,
  value,
  reason: 'number_invalid',
  message: `number ${refused}`,
});

describe('a quote', () => {
  const quote = (body: unknown, member: Member | null = owner): Promise<Answer> =>
    campaigns.post('/v6/api/campaigns/quote', member, body);

  it('answers exactly the fields of reference/campaigns#quote, and costs nothing', async () => {
    const contacts = [
      '+91 98123-45678',
      '919812345678',
      '123456789',
      919812345679,
      '12',
      null,
      { a: 1 },
      'x'.repeat(99),
    ];
    const answer = await quote({ channel: 'sms', message: 'a'.repeat(153) + '€ç’ç', contacts });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      success: true,
      data: {
        channel: 'sms',
        encoding: 'unicode',
        unicode_characters: ['ç', '’'],
        length: 157,
        segments: 3,
        credits_per_contact: 3,
        credits: 12,
        total_credits: 12,
        available: 1_000,
        contacts: 4,
        invalid: [
          ['12', 'has fewer than 8 digits'] as const,
          ['null', 'is missing'] as const,
          ['[object]', 'is neither a text nor a whole number'] as const,
          ['x'.repeat(64), 'has letters'] as const,
        ].map(badRow),
        refused: 4,
        duplicates: ['919812345678'],
        duplicates_count: 1,
      },
    });
    expect(await campaigns.credits(owner)).toBe(1_000);
    expect(
      await campaigns.dataSource.query('SELECT 1 FROM campaigns WHERE account_id = ?', [owner.account.id]),
    ).toEqual([]);
  });

  it.each([
    ['gsm7', 'a'.repeat(160), 160, 1, 1],
    ['gsm7', 'a'.repeat(161), 161, 2, 2],
    ['gsm7', '€'.repeat(80), 160, 1, 1],
    ['unicode', 'я'.repeat(70), 70, 1, 1],
    // The price follows the table, the wire its own rule.
    ['unicode', 'я'.repeat(134), 134, 2, 3],
    ['unicode', '😀'.repeat(35), 70, 1, 1],
    ['unicode', 'я'.repeat(331), 331, 5, 5],
  ])('%s: %s', async (encoding, message, length, segments, credits) => {
    const expected = { encoding, length, segments, credits_per_contact: credits, total_credits: credits, contacts: 1 };
    expect(dataOf(await quote({ ...GOOD, message }))).toMatchObject(expected);
    const member = await campaigns.join(credits);
    await campaigns.send(member, GOOD.contacts, { message });
    expect(await campaigns.credits(member)).toBe(0);
  });

  it('of unofficial chat: 1 a contact; of templates: the balance of the category', async () => {
    expect(dataOf(await quote({ ...GOOD, channel: 'unofficial', message: '😀'.repeat(1500) }))).toMatchObject({
      encoding: 'unicode',
      unicode_characters: ['😀'],
      length: 1500,
      segments: 1,
      credits_per_contact: 1,
      total_credits: 1,
      available: 5,
    });
    await campaigns.template(owner, 'code', { category: 3, body: 'Your code: {{1}}' });
    for (const channel of ['template', 'branded']) {
      const contacts = ['919812345678', '1234567', '+1 (555) 000-1111 x2'];
      expect(dataOf(await quote({ channel, message: 'code', contacts }))).toMatchObject({
        channel,
        encoding: 'gsm7',
        unicode_characters: [],
        length: 16,
        credits_per_contact: 1,
        total_credits: 1,
        available: 7,
        contacts: 1,
        invalid: [
          { row: 2, value: '1234567' },
          { row: 3, value: '+1 (555) 000-1111 x2' },
        ],
      } satisfies Json);
      expectRefused(await quote({ channel, message: 'Code', contacts }), 404, 'Template not found');
    }
  });

  it('is what a send under a rate plan charges, to the credit', async () => {
    const rate = (channel: string, prefix: string, credits: number) => ({
      channel,
      prefix,
      credits_per_segment: credits,
    });
    const member = await campaigns.join({ gsm_credits: 1_000, bulk_chat_credits: 1_000 });
    await giveRatePlan(campaigns, member, [rate('sms', '91', 7), rate('sms', '9199', 0), rate('unofficial', '44', 4)]);
    // two parts on the wire, three credits by the table
    const message = 'я'.repeat(134);
    const contacts = ['919812345678', '919812345678', '919912345678', '447700900123', '447700900124', '919812345670'];
    const quoted = dataOf(await quote({ channel: 'sms', message, contacts: [...contacts, '44'] }, member));
    expect(quoted).toMatchObject({
      segments: 2,
      credits_per_contact: 14,
      total_credits: 3 * 14 + 2 * 3,
      contacts: 6,
      invalid: [{ row: 7, value: '44' }],
      duplicates: ['919812345678'],
    });
    await campaigns.send(member, contacts, { message });
    expect(await campaigns.credits(member)).toBe(1_000 - Number(quoted['total_credits']));
    const chat = { channel: 'unofficial', message: 'Hi', contacts: ['447700900123'] };
    expect(dataOf(await quote(chat, member))).toMatchObject({ credits_per_contact: 4, total_credits: 4 });
    const free = { channel: 'sms', message, contacts: ['919912345678'] };
    expect(dataOf(await quote(free, member))).toMatchObject({ credits_per_contact: 0, total_credits: 0 });
    const none = { channel: 'sms', message, contacts: ['x'] };
    expect(dataOf(await quote(none, member))).toMatchObject({ credits_per_contact: 3, total_credits: 0 });
  });

  it('takes 500,000 contacts, and names a hundred of what is wrong with them', async () => {
    const most = 500_000;
    const numbers = Array.from({ length: most }, (_, at) => 919_812_000_000 + (at % 1_000));
    expect(dataOf(await quote({ ...GOOD, contacts: numbers }))).toMatchObject({
      contacts: most,
      total_credits: most,
      invalid: [],
      refused: 0,
      duplicates: numbers.slice(0, 100).map(String),
    });
    const none = Array.from({ length: most }, () => 1);
    expect(dataOf(await quote({ ...GOOD, contacts: none }))).toMatchObject({
      contacts: 0,
      invalid: Array.from({ length: 100 }, (_, at) => ({ row: at + 1, value: '1', reason: 'number_invalid' })),
      refused: most,
      duplicates: [],
    });
    for (const channel of ['sms', 'voice']) {
      const over = await quote({ ...GOOD, channel, contacts: [...none, 1] });
      expectRefused(over, 400, 'contacts cannot exceed 500,000');
      expect(over.body).toMatchObject({ field: 'contacts', hint: expect.stringContaining('quote') as unknown });
    }
    const much = await quote(`{"channel":"sms","message":"x","contacts":[${'1,'.repeat(1_000_000)}1]}`);
    expectRefused(much, 413, 'Request body is too large');
  });

  it('refuses the first field at fault', async () => {
    for (const channel of [undefined, null, '', 'SMS', 'VOICE', 'fax', 1, ['sms'], {}]) {
      expectRefused(await quote({ message: '', contacts: [], channel }), 400, CHANNELS);
    }
    for (const message of [undefined, null, '', ' \t', true, {}, ['x']]) {
      expectRefused(await quote({ ...GOOD, contacts: [], message }), 400, 'message is required');
    }
    for (const contacts of [undefined, null, '', '919812345678', {}, 7, []]) {
      const text = 'contacts must be a non-empty array';
      expectRefused(await quote({ ...GOOD, message: 'a'.repeat(613), contacts }), 400, text);
    }
    const long = { sms: ['a'.repeat(613), 'я'.repeat(332)], unofficial: ['a'.repeat(1501)] };
    for (const [channel, messages] of Object.entries(long)) {
      for (const message of messages)
        expectRefused(await quote({ ...GOOD, channel, message }), 400, 'Message is too long');
    }
    expect(dataOf(await quote({ ...GOOD, message: 42 }))).toMatchObject({ length: 2 });
    expect(dataOf(await quote({ ...GOOD, contacts: ['x'] }))).toMatchObject({ contacts: 0, total_credits: 0 });
    expectRefused(await quote(GOOD, null), 401, 'Invalid Authorization token');
    expectRefused(await quote('{'), 400, 'Malformed JSON body');
    const deep = `{"channel":"sms","message":"x","contacts":[${'['.repeat(20_000)}${']'.repeat(20_000)}]}`;
    expect([200, 400]).toContain((await quote(deep)).status);
  });
});

describe('finding a number', () => {
  const find = (query: string, member: Member | null = owner): Promise<Answer> =>
    campaigns.get(`/v6/api/recipients?${query}`, member);

  it('in one’s own campaigns alone, newest first, with every entry', async () => {
    const number = '447700900123';
    const one = await campaigns.send(owner, ['919812345678', number, number], { broadcast_name: 'One' });
    const two = await campaigns.send(owner, [number], { broadcast_name: 'Two' });
    await campaigns.begin(two);
    await campaigns.settle(two, [1], RecipientStatus.Failed, 'gone');
    const other = await campaigns.join(10);
    await campaigns.send(other, [number]);
    const answer = await find('number=%2B44+7700+900-123');
    expect(answer.body).toMatchObject({ success: true, page: 1, limit: 50, total: 3, next_to: null });
    expect(listOf(answer).map((hit) => [hit['request_id'], hit['seq'], hit['status']])).toEqual([
      [two, 1, 'FAILED'],
      [one, 2, 'PP1'],
      [one, 3, 'PP1'],
    ]);
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/) as unknown;
    expect(listOf(answer)[0]).toEqual({
      request_id: two,
      channel: 'sms',
      broadcast_name: 'Two',
      seq: 1,
      receiver: number,
      status: 'FAILED',
      status_code: 1,
      error_code: null,
      errorMessage: 'gone',
      attempts: 1,
      created_at: time,
      updated_at: time,
    });
    const page = await find(`number=${number}&page=2&limit=2`);
    expect(listOf(page).map((hit) => hit['seq'])).toEqual([3]);
    expect((await find(`number=${number}&to=2024-12-31`)).body).toMatchObject({ data: [], total: 0, next_to: null });
    expect((await find(`number=${number}&from=2999-01-01`)).body).toMatchObject({ data: [], total: 0 });
    expect((await find('number=12345678')).body).toMatchObject({ data: [], total: 0 });
  });

  it('refuses what is no number or no time', async () => {
    for (const query of ['', 'number=', 'number=%20']) expectRefused(await find(query), 400, 'number is required');
    for (const query of ['number=1234567', `number=${'1'.repeat(31)}`, 'number=abc', 'number=1&number=2']) {
      expectRefused(await find(query), 400, 'number is invalid');
    }
    expectRefused(await find('number=12345678&from=x&to=y'), 400, 'from is invalid');
    expectRefused(await find('number=12345678&to=y'), 400, 'to is invalid');
    expectRefused(await find('number=12345678', null), 401, 'Invalid Authorization token');
  });

  it('is bounded: it says how far it came, and goes on from there', async () => {
    const member = await campaigns.join(0);
    const ids: string[] = [];
    const ages = [4_000, 2_000, 2_000, 1_000];
    const base = Date.now();
    for (let count = 0; count < 4; count++) {
      ids.unshift(await storeCampaign(campaigns.dataSource, member, 100, [RecipientStatus.Delivered]));
      const at = new Date(base - (ages[count] ?? 0));
      await campaigns.dataSource.query('UPDATE campaigns SET created_at = ? WHERE request_id = ?', [at, ids[0]]);
    }
    const search = new RecipientSearch(campaigns.dataSource, campaigns.part(NumberSenders));
    const found: string[][] = [];
    for (let to: Date | null = new Date(); to;) {
      const range = { accountId: member.account.id, from: new Date(0), to, after: null };
      const result = await search.find(['919800000050'], range, 150);
      found.push(result.found.map((hit) => hit.requestId));
      to = result.next;
    }
    // The second and the third were accepted together, so one search looks at both.
    expect(found).toEqual([ids.slice(0, 1), ids.slice(1, 3), ids.slice(3)]);
  });

  it('one search of an account at a time', async () => {
    const member = await campaigns.join(0);
    await storeCampaign(campaigns.dataSource, member, 20_000, [RecipientStatus.Delivered]);
    const answers = await Promise.all(Array.from({ length: 6 }, () => find('number=919800000050', member)));
    const statuses = answers.map(({ status }) => status);
    expect(statuses).toContain(200);
    for (const answer of answers.filter(({ status }) => status !== 200)) {
      expectRefused(answer, 429, 'Too many requests. Please try again later.');
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    expect((await find('number=919800000050', member)).status).toBe(200);
  });
});
