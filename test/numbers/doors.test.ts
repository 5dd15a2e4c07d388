import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dataOf, type Json, listOf } from '../support/campaigns.js';
import { type Installation, openInstallation } from '../support/installation.js';
import { NATIONAL, READ, REFUSED } from '../support/number-texts.js';
import type { Answer } from '../support/sms.js';
import { workbook } from '../support/workbooks.js';

let installation: Installation;
beforeAll(async () => {
  installation = await openInstallation({ PUBLIC_URL: 'https://sms.example', BROADCAST_RATE_LIMIT: 0 });
});
afterAll(() => installation.stop());

const post = (path: string, body: unknown, headers?: Record<string, string>): Promise<Answer> =>
  installation.post(path, installation.owner, body, headers);
const get = (path: string): Promise<Answer> => installation.get(path, installation.owner);
const csv = { 'content-type': 'text/csv' };

/** What became of a number at a door: its digits, or the reason why not. */
type Outcome = { digits: unknown } | { reason: string };
const reasonOf = (text: unknown): Outcome => ({ reason: String(text).replace(/^.*number /, '') });
const ofRows = (rows: unknown): Outcome => reasonOf((rows as Json[])[0]?.['message']);

const sent = async (answer: Answer): Promise<Outcome> => {
  if (answer.status >= 300) return ofRows(answer.body['errors']);
  const contacts = await get(`/v6/api/campaigns/${String(dataOf(answer)['request_id'])}/contacts`);
  return { digits: listOf(contacts)[0]?.['receiver'] };
};
const listOfNumbers = async (): Promise<string> =>
  `/v6/api/lists/${String(dataOf(await post('/v6/api/lists', { name: 'Door' }))['list_id'])}/members`;

const readBy = async (given: string): Promise<Outcome> => {
  const [row] = listOf(await post('/v6/api/numbers/read', { numbers: [given] }));
  return row?.['number'] === null ? reasonOf(row['message']) : { digits: row?.['number'] };
};

const SMS = { channel: 'sms', broadcast_name: 'Door', message: 'Hi' };

const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const send = (path: string, body: Buffer<ArrayBuffer>, type: string): Promise<Answer> =>
  installation.request(path, {
    method: 'POST',
    headers: { 'content-type': type, authorization: `Bearer ${installation.owner.token}` },
    body,
  });
const stopped = async (given: string, body: Buffer<ArrayBuffer>, type: string): Promise<Outcome> => {
  const data = dataOf(await send('/v6/api/suppressions/import', body, type));
  if (data['invalid_count'] === 1) return ofRows(data['invalid']);
  return { digits: listOf(await get(`/v6/api/suppressions?number=${encodeURIComponent(given)}`))[0]?.['number'] };
};

const DOORS: Readonly<Record<string, (given: string) => Promise<Outcome>>> = {
  'contacts of a campaign': async (given) => sent(await post('/v6/api/campaigns', { ...SMS, contacts: [given] })),
  'recipients of a campaign': async (given) =>
    sent(await post('/v6/api/campaigns', { ...SMS, recipients: [{ to: given }] })),
  'quote of a campaign': async (given) => {
    const data = dataOf(await post('/v6/api/campaigns/quote', { ...SMS, recipients: [{ to: given }] }));
    const [first] = data['preview'] as Json[];
    return first ? { digits: first['to'] } : ofRows(data['invalid']);
  },
  'quote of contacts': async (given) => {
    const body = { channel: 'sms', message: 'Hi', contacts: [given, '919812345670', '919812345670'] };
    const data = dataOf(await post('/v6/api/campaigns/quote', body));
    // its digits are not shown: they are those of which a second one is a duplicate
    if ((data['invalid'] as Json[]).length > 0) return ofRows(data['invalid']);
    return readBy(given);
  },
  read: (given) => readBy(given),
  upload: async (given) => {
    const answer = await post('/v6/api/uploads', `to,name\n"${given}",Asha\n`, csv);
    if (answer.status >= 300) return reasonOf(answer.body['message']);
    return { digits: (dataOf(answer)['sample'] as Json[])[0]?.['to'] };
  },
  'upload of a workbook': async (given) => {
    const answer = await send('/v6/api/uploads', workbook({ rows: [['to'], [given]] }), XLSX);
    if (answer.status >= 300) return reasonOf(answer.body['message']);
    return { digits: (dataOf(answer)['sample'] as Json[])[0]?.['to'] };
  },
  message: async (given) => {
    const answer = await post('/v6/api/messages', { channel: 'sms', to: given, text: 'Hi' });
    if (answer.status >= 300) return { reason: String(answer.body['message']).replace(/^to /, '') };
    return { digits: dataOf(await get(`/v6/api/messages/${String(dataOf(answer)['id'])}`))['to'] };
  },
  list: async (given) => {
    const members = await listOfNumbers();
    const answer = await post(members, { members: [{ to: given }] });
    return answer.status >= 300 ? ofRows(answer.body['errors']) : { digits: listOf(await get(members))[0]?.['to'] };
  },
  'stop list': async (given) => {
    const answer = await post('/v6/api/suppressions', { numbers: [given] });
    if (answer.status >= 300) return reasonOf(answer.body['message']);
    return { digits: listOf(await get(`/v6/api/suppressions?number=${encodeURIComponent(given)}`))[0]?.['number'] };
  },
  'import of the stop list': (given) => stopped(given, Buffer.from(`number\n"${given}"\n`), 'text/csv'),
  'import of the stop list from UTF-16': (given) =>
    stopped(given, Buffer.from(`\uFEFFname;number\nÄ;"${given}"\n`, 'utf16le'), 'text/csv'),
  'import of the stop list from a workbook': (given) =>
    stopped(
      given,
      workbook({
        rows: [
          ['name', 'number'],
          ['Ä', given],
        ],
      }),
      XLSX,
    ),
  recipients: async (given) => {
    await post('/v6/api/campaigns', { ...SMS, contacts: ['919812345678', '447911000012'] });
    const answer = await get(`/v6/api/recipients?number=${encodeURIComponent(given)}`);
    return answer.status >= 300 ? reasonOf(answer.body['hint']) : { digits: listOf(answer)[0]?.['receiver'] };
  },
};

describe.each(Object.keys(DOORS))('the door %s', (name) => {
  const door = DOORS[name] as (given: string) => Promise<Outcome>;

  it.each(READ)('takes %s as %s', async (given, digits) => {
    expect(await door(given)).toEqual({ digits });
  });

  it.each(REFUSED)('refuses %s: number %s', async (given, reason) => {
    // digits are looked for as they are too: specified endpoints keep what the strict reader refuses
    if (name === 'recipients' && /^\d{8,}$/.test(given)) expect(await door(given)).toEqual({ digits: undefined });
    else expect(await door(given)).toEqual({ reason });
  });

  it('reads national numbers by the country of the account', async () => {
    await installation.alter(installation.owner, 'country_code', 'IN');
    try {
      for (const [given, digits] of NATIONAL) expect([given, await door(given)]).toEqual([given, { digits }]);
    } finally {
      await installation.alter(installation.owner, 'country_code', null);
    }
  });
});

describe('further doors', () => {
  it('the search box and the test of a route read alike', async () => {
    const { staff } = installation;
    const id = await installation.send(installation.owner, ['4915123456789']);
    const found = async (q: string): Promise<unknown[]> =>
      listOf(await get(`/v6/api/search?q=${encodeURIComponent(q)}`)).map((hit) => hit['id']);
    expect(await found('+49 (0)151 23456789')).toContain(id);
    expect(await found('0049 151/23456789')).toContain(id);
    expect(await found('4915123456789.0')).toEqual([]);
    const tried = await installation.post('/v6/api/admin/routes/main/test', staff, { to: '9.198E+11' });
    expect([tried.status, tried.body['message']]).toEqual([400, 'to is invalid']);
  });

  it('what lists kept before is not read by the country, and what nobody explains is refused at the send', async () => {
    const members = await listOfNumbers();
    await post(members, { members: [{ to: '+960 712-3456' }] });
    const id = Number(/\d+/.exec(members.split('/lists/')[1] ?? '')?.[0]);
    await installation.alter(installation.owner, 'country_code', 'IN');
    try {
      expect(await sent(await post('/v6/api/campaigns', { ...SMS, list_id: id }))).toEqual({ digits: '9607123456' });
    } finally {
      await installation.alter(installation.owner, 'country_code', null);
    }
    const old = await listOfNumbers();
    const oldId = Number(/\d+/.exec(old.split('/lists/')[1] ?? '')?.[0]);
    await post(old, { members: [{ to: '919812345678' }] });
    const change = "UPDATE recipient_list_members SET number = '00919812345678' WHERE list_id = ?";
    await installation.dataSource.query(change, [oldId]);
    expect((await post('/v6/api/campaigns', { ...SMS, list_id: oldId })).body).toMatchObject({
      message: 'Recipients have numbers that the channel does not take',
      errors: [{ row: 1, value: '00919812345678', reason: 'number_invalid' }],
    });
  });
});

const HEADER = 'switchboard-warnings';
const GOOD = '919812345678';

/** Requests to specified endpoints, with numbers in the field that each has. */
const SPECIFIED: Readonly<Record<string, { many: boolean; ask: (numbers: string[]) => Promise<Answer> }>> = {
  'addbroadcastgsm.php': {
    many: true,
    ask: (contacts) =>
      post('/webhook/api/addbroadcastgsm.php', {
        broadcast_name: 'x',
        brodcast_service: 'main',
        message: 'Hi',
        contacts,
      }),
  },
  'addbroadcastUnofficial.php': {
    many: true,
    ask: (contacts) =>
      post('/webhook/api/addbroadcastUnofficial.php', {
        broadcast_name: 'x',
        brodcast_service: 'default',
        message: 'Hi',
        contacts,
      }),
  },
  'voice send': {
    many: true,
    ask: (contacts) =>
      post('/v6/api/v1/voice/send', { broadcast_name: 'x', message: 'Hello, this is a call.', contacts }),
  },
  chatTemplate: { many: true, ask: (to) => post(mine('chatTemplate'), template(to)) },
  chatBranded: { many: true, ask: (to) => post(mine('chatBranded'), template(to)) },
  chat: {
    many: false,
    ask: ([to]) => post(mine('chat'), { messaging_product: 'chat', to, type: 'text', text: { body: 'Hi' } }),
  },
  'session.php': {
    many: false,
    ask: ([contacts]) =>
      post('/v5/api/session.php', { brodcast_service: 'chat_credits', contacts, broadcast_message: 'Hi' }),
  },
  'sms_get.php': {
    many: false,
    ask: ([number = '']) =>
      installation.smsGet({
        username: installation.owner.account.username,
        password: installation.apiKey,
        message: 'Hi',
        number,
      }),
  },
};
const mine = (endpoint: string): string => `/v6/api/${endpoint}/24/${installation.owner.account.username}/messages`;
const template = (to: unknown): Json => ({
  messaging_product: 'chat',
  to,
  type: 'template',
  template: {
    name: 'order_ready',
    language: { code: 'en_US' },
    components: [{ type: 'body', parameters: [{ type: 'text', text: 'x' }] }],
  },
});
/** Cleaned to the number above, whose chat window is open; the strict reader refuses it. */
const odd = (name: string): string => (/^chat|session/.test(name) ? '91  98123-45678' : '919812345678;');

describe.each(Object.entries(SPECIFIED))('the specified endpoint %s', (name, { many, ask }) => {
  const tell = (answer: Answer): Json[] => JSON.parse(answer.headers.get(HEADER) ?? '[]') as Json[];

  it('keeps its rule, and tells how many numbers the strict reader refuses or reads otherwise', async () => {
    const answer = await ask(many ? [GOOD, odd(name), '+919812345670'] : [odd(name)]);
    expect([answer.status < 300, answer.body]).toEqual([true, answer.body]);
    expect(tell(answer)).toContainEqual(expect.objectContaining({ code: 'numbers_look_wrong', count: 1 }));
    const good = await ask([GOOD]);
    expect(tell(good).map(({ code }) => code)).not.toContain('numbers_look_wrong');
  });

  it('refuses them with strict_numbers of the account', async () => {
    await installation.alter(installation.owner, 'strict_numbers', 1);
    try {
      const answer = await ask(many ? [GOOD, odd(name)] : [odd(name)]);
      expect(answer.status).toBe(400);
      expect(answer.body).toMatchObject({ message: 'Some numbers are invalid', code: 'numbers_invalid' });
      if (many) expect(answer.body['errors']).toMatchObject([{ row: 2, value: odd(name), reason: 'number_invalid' }]);
      else expect(answer.body['hint']).toMatch(/^number has .*\. Write it with \+ and its country code\.$/);
      expect((await ask([GOOD])).status).toBeLessThan(300);
    } finally {
      await installation.alter(installation.owner, 'strict_numbers', 0);
    }
  });
});

it('a national number is read otherwise, and counted as such', async () => {
  await installation.alter(installation.owner, 'country_code', 'IN');
  await installation.alter(installation.owner, 'strict_numbers', 1);
  try {
    const answer = await SPECIFIED['addbroadcastgsm.php']?.ask([GOOD, '9812345678']);
    expect(answer?.body).toMatchObject({
      message: 'Some numbers are invalid',
      errors: [
        {
          row: 2,
          value: '9812345678',
          reason: 'number_read_otherwise',
          message: 'number reads as +919812345678: write it so',
        },
      ],
    });
  } finally {
    await installation.alter(installation.owner, 'strict_numbers', 0);
    await installation.alter(installation.owner, 'country_code', null);
  }
});

describe('PATCH /v6/api/account/numbers', () => {
  const change = (body: unknown, member = installation.owner): Promise<Answer> =>
    installation.request('/v6/api/account/numbers', {
      method: 'PATCH',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${member.token}` },
      body: JSON.stringify(body),
    });

  it('sets country, check and strictness; staff set them for good', async () => {
    const { victim, staff } = installation;
    const me = async (): Promise<Json> => dataOf(await installation.get('/v6/api/account', victim));
    expect(await me()).toMatchObject({
      country: null,
      country_chosen: false,
      number_check: 'warn',
      strict_numbers: false,
    });
    const saved = await change({ country: 'BR', strict_numbers: true }, victim);
    expect(saved.body).toEqual({
      success: true,
      message: 'Numbers saved successfully',
      data: { country: 'BR', number_check: 'warn', strict_numbers: true },
    });
    expect(await me()).toMatchObject({ country: 'BR', country_chosen: true, strict_numbers: true });
    expect((await change({ country: null, number_check: 'off', strict_numbers: false }, victim)).status).toBe(200);
    expect(await me()).toMatchObject({ country: null, country_chosen: true, number_check: 'off' });
    for (const [body, message] of [
      [{ country: 'India' }, 'country is invalid'],
      [{ country: 'in' }, 'country is invalid'],
      [{ country: 7 }, 'country is invalid'],
      [{ number_check: 'x' }, 'number_check must be one of: refuse, warn, off'],
      [{ strict_numbers: 'yes' }, 'strict_numbers must be true or false'],
    ] as const) {
      const { status, body: answer } = await change(body, victim);
      expect([status, answer['message']]).toEqual([400, message]);
    }
    const byStaff = await installation.request(`/v6/api/admin/accounts/${victim.account.username}`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${staff.token}` },
      body: JSON.stringify({ country: 'IN', strict_numbers: true }),
    });
    expect(dataOf(byStaff)).toMatchObject({ country: 'IN', strict_numbers: true });
    const refused = await change({ country: 'BR' }, victim);
    expect([refused.status, refused.body['message']]).toEqual([403, 'country was set by staff']);
  });
});
