import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectRefused, type Member, openSms, type Sms } from '../support/sms.js';

const REQUIRED = 'broadcast_name, brodcast_service, contacts, and message are required';
const TOO_LONG = 'Message is too long';
const CONTACTS = 'Each contact number must be between 9 and 30 digits';
const ID_FORM = 'providermessageid must be 1 to 64 characters of A-Z a-z 0-9 . _ : -';
const SCHEDULE = 'schedule_time is invalid';
const TOKEN = 'Invalid Authorization token';

const GOOD = { broadcast_name: 'Spring', brodcast_service: 'main', contacts: ['919812345678'], message: 'Hello' };

let sms: Sms;
let member: Member;

beforeAll(async () => {
  sms = await openSms();
  member = await sms.join();
});
afterAll(() => sms.stop());

describe('who may send', () => {
  it('405 on every other method, with Allow', async () => {
    for (const method of ['GET', 'PUT', 'DELETE', 'PATCH']) {
      const answer = await sms.request('/webhook/api/addbroadcastgsm.php', { method });
      expectRefused(answer, 405, 'Method not allowed');
      expect(answer.headers.get('allow')).toBe('POST');
    }
  });

  it('401 without a token and a username, before any other check', async () => {
    for (const [body, headers] of [
      [{}, {}],
      [{ ...GOOD, username: '' }, {}],
      [{ ...GOOD, username: null }, {}],
      [GOOD, { authorization: 'Bearer nonsense' }],
      [GOOD, { authorization: `Bearer nonsense`, cookie: `auth_token=${member.token}` }],
      [GOOD, { cookie: `auth_token=${member.token}`, 'sec-fetch-site': 'cross-site' }],
    ] as [unknown, Record<string, string>][]) {
      expectRefused(await sms.broadcast(null, body, headers), 401, TOKEN);
    }
  });

  it('401 for a username that is unknown, of other case, no text, staff, or closed', async () => {
    const reseller = await sms.join(10, { userType: 'reseller' });
    const closed = await sms.join(10, { isActive: false });
    const names = ['nobody-here', member.account.username.toUpperCase(), true, {}, ['a'], reseller.account.username];
    for (const username of [...names, closed.account.username]) {
      expectRefused(await sms.broadcast(null, { ...GOOD, username }), 401, TOKEN);
      expectRefused(await sms.broadcast(member, { ...GOOD, username }), 401, TOKEN);
    }
  });

  it('the username in the body goes before the token', async () => {
    const other = await sms.join(10);
    const answer = await sms.broadcast(member, { ...GOOD, username: other.account.username });
    expect(answer.body['username']).toBe(other.account.username);
    expect(await sms.credits(other)).toBe(9);
  });

  it('an account with require_token acts by its own token only', async () => {
    const strict = await sms.join(10);
    await sms.alter(strict, 'require_token', 1);
    const named = { ...GOOD, username: strict.account.username };
    expectRefused(await sms.broadcast(null, named), 401, TOKEN);
    expectRefused(await sms.broadcast(member, named), 401, TOKEN);
    expect((await sms.broadcast(strict, named)).status).toBe(200);
  });
});

describe('the error table', () => {
  const ODD = [true, false, {}, { a: 1 }, ['x'], []];

  it.each(['broadcast_name', 'brodcast_service', 'contacts', 'message'])('%s missing, empty or odd', async (field) => {
    for (const value of [undefined, null, '', ' \t', ...(field === 'contacts' ? [true, {}, [], 'x', 7] : ODD)]) {
      expectRefused(await sms.broadcast(member, { ...GOOD, [field]: value }), 400, REQUIRED);
    }
  });

  it.each(['[]', '"text"', '7', 'null', 'true', '{}'])('a body of %s has no fields', async (body) => {
    expectRefused(await sms.broadcast(member, body), 400, REQUIRED);
  });

  it('malformed JSON', async () => {
    expectRefused(await sms.broadcast(member, '{"a":'), 400, 'Malformed JSON body');
  });

  it.each([
    ['a'.repeat(612), 4],
    ['a'.repeat(613), null],
    ['я'.repeat(331), 5],
    ['я'.repeat(332), null],
    ['€'.repeat(306), 4],
    ['€'.repeat(307), null],
  ])('message length %#', async (message, credits) => {
    const answer = await sms.broadcast(member, { ...GOOD, message });
    if (credits === null) expectRefused(answer, 400, TOO_LONG);
    else expect([answer.status, answer.body['Credits']]).toEqual([200, credits]);
  });

  it.each([['1'.repeat(8)], ['1'.repeat(31)], [''], ['abc'], [true], [null], [{}], [[]], [['919812345678']], [1e300]])(
    'contact %j',
    async (contact) => {
      expectRefused(await sms.broadcast(member, { ...GOOD, contacts: ['919812345678', contact] }), 400, CONTACTS);
    },
  );

  it.each([9, 30])('a contact of %i digits is taken', async (digits) => {
    expect((await sms.broadcast(member, { ...GOOD, contacts: ['1'.repeat(digits)] })).status).toBe(200);
  });

  it('the id and the schedule, by every alias and type', async () => {
    for (const alias of ['providermessageid', 'provider_message_id', 'providerMessageId']) {
      for (const value of ['x'.repeat(65), 'a b', 'ä', true, {}, []]) {
        expectRefused(await sms.broadcast(member, { ...GOOD, [alias]: value }), 400, ID_FORM);
      }
    }
    for (const value of ['2020-01-01 00:00:00', 'soon', 7, true, {}, ['2099-01-01 00:00:00']]) {
      expectRefused(await sms.broadcast(member, { ...GOOD, schedule_time: value }), 400, SCHEDULE);
    }
  });

  it('checks the rows in order, and credits last', async () => {
    const poor = await sms.join(1);
    const repairs = [
      { broadcast_name: 'Spring' },
      { message: 'a'.repeat(200) },
      { contacts: ['919812345678', '919812345679'] },
      { providermessageid: 'order-1' },
      { schedule_time: '' },
    ];
    const texts = [REQUIRED, TOO_LONG, CONTACTS, ID_FORM, SCHEDULE];
    let body: Record<string, unknown> = {
      ...GOOD,
      broadcast_name: '',
      message: 'a'.repeat(613),
      contacts: ['1'],
      providermessageid: '?',
      schedule_time: 'never',
    };
    for (const [index, text] of texts.entries()) {
      expectRefused(await sms.broadcast(poor, body), 400, text);
      body = { ...body, ...repairs[index] };
    }
    expectRefused(await sms.broadcast(poor, body), 400, 'Insufficient credits. Available: 1, Required: 4');
    expect(await sms.credits(poor)).toBe(1);
    expectRefused(await sms.broadcast(null, { ...body, message: '' }), 401, TOKEN);
  });

  it('never answers 500, whatever the types', async () => {
    const values: unknown[] = [
      true,
      {},
      [],
      [null],
      7,
      -0.5,
      'x',
      '\u0000',
      '\ud800',
      'a'.repeat(5_000),
      { toString: 1 },
    ];
    for (const field of [...Object.keys(GOOD), 'username', 'providermessageid', 'schedule_time']) {
      for (const value of values) {
        const { status } = await sms.broadcast(member, { ...GOOD, [field]: value });
        expect([200, 400, 401], `${field} = ${JSON.stringify(value)}`).toContain(status);
      }
    }
  });
});

describe('the rate limit', () => {
  it('is 10 in 60 seconds per username, after authentication and before the rows', async () => {
    const limited = await openSms({ BROADCAST_RATE_LIMIT: 10 });
    try {
      const [one, two] = [await limited.join(), await limited.join()];
      for (let count = 0; count < 10; count++) expectRefused(await limited.broadcast(one, {}), 400, REQUIRED);
      const refused = await limited.broadcast(one, GOOD);
      expectRefused(refused, 429, 'Too many requests. Please try again later.');
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      const named = await limited.broadcast(null, { ...GOOD, username: one.account.username });
      expectRefused(named, 429, 'Too many requests. Please try again later.');
      expect((await limited.broadcast(two, GOOD)).status).toBe(200);
      expectRefused(await limited.broadcast(null, {}), 401, TOKEN);
    } finally {
      await limited.stop();
    }
  });
});
