import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openChat, type Chat } from '../support/chat.js';
import { expectRefused, type Member } from '../support/sms.js';

const REQUIRED = 'broadcast_name, brodcast_service, contacts, and message are required';
const TOO_LONG = 'Message is too long';
const CONTACTS = 'Each contact number must be between 9 and 30 digits';
const SCHEDULE = 'schedule_time is invalid';
const TOKEN = 'Invalid Authorization token';
const TOO_MANY = 'Too many requests. Please try again later.';
const ATTACHMENTS = ['img1', 'img2', 'document'];
const urlText = (field: string): string => `${field} must be a valid URL`;

const GOOD = { broadcast_name: 'Spring', brodcast_service: 'chat', contacts: ['919812345678'], message: 'Hello' };

let chat: Chat;
let member: Member;

const rich = (credits = 1_000): Promise<Member> => chat.join({ bulk_chat_credits: credits });

beforeAll(async () => {
  chat = await openChat();
  await chat.addRoute('chat', true, 'unofficial');
  member = await rich();
});
afterAll(() => chat.stop());

describe('an accepted unofficial broadcast', () => {
  it('answers exactly the five fields and charges 1 a contact, whatever the length and the attachments', async () => {
    const sender = await rich(10);
    const urls = {
      img1: 'https://f.example/1.jpg',
      img2: 'http://f.example/2.jpg',
      document: 'https://f.example/a.pdf',
    };
    const contacts = ['+91 98123-45678', '919812345678', '123456789'];
    const answer = await chat.unofficial(sender, { ...GOOD, ...urls, contacts, message: 'я'.repeat(1500) });
    expect(answer.body).toEqual({
      request_id: expect.stringMatching(/^CHATCAMP_\d{8}_[A-Z0-9]{6}$/) as unknown,
      status: 'Processing',
      message: 'Success',
      username: sender.account.username,
      Credits: 3,
    });
    expect(answer.status).toBe(200);
    expect(await chat.credits(sender, 'bulk_chat_credits')).toBe(7);
    expect(await chat.receivers(answer)).toEqual(['919812345678', '919812345678', '123456789']);
    const stored = await chat.campaign(answer);
    expect(stored).toMatchObject({ channel: 'unofficial', service: 'chat', balance: 'bulk_chat_credits' });
    expect(JSON.parse(String(stored['content']))).toEqual({
      message: 'я'.repeat(1500),
      ...urls,
      media_with_caption: false,
    });
    const view = await chat.request(`/v6/api/campaigns/${String(answer.body['request_id'])}`, {
      headers: { authorization: `Bearer ${sender.token}` },
    });
    expect(view.body['data']).toMatchObject({
      channel: 'unofficial',
      status: 'Processing',
      status_counts: { PENDING: 3 },
    });
  });

  it('takes the cookie, a username in the body before the token, and a form', async () => {
    const other = await rich(10);
    expect((await chat.unofficial(null, GOOD, { cookie: `auth_token=${other.token}` })).status).toBe(200);
    const named = await chat.unofficial(member, { ...GOOD, username: other.account.username });
    expect(named.body['username']).toBe(other.account.username);
    const form = new URLSearchParams({
      ...GOOD,
      contacts: '919812345678,919812345679',
      username: other.account.username,
      media_with_caption: 'true',
    });
    const answer = await chat.request('/webhook/api/addbroadcastUnofficial.php', { method: 'POST', body: form });
    expect([answer.status, answer.body['Credits']]).toEqual([200, 2]);
    expect(String((await chat.campaign(answer))['content'])).toContain('"media_with_caption":true');
    expect(await chat.credits(other, 'bulk_chat_credits')).toBe(6);
  });

  it('cuts a long name, keeps schedule_time, and stores no unknown field', async () => {
    const answer = await chat.unofficial(member, {
      ...GOOD,
      broadcast_name: '😀'.repeat(101),
      schedule_time: '2099-05-02T09:30:00Z',
      img1: '',
      surprise: 1,
    });
    const stored = await chat.campaign(answer);
    expect(stored).toMatchObject({ broadcast_name: '😀'.repeat(100), scheduled_at: new Date('2099-05-02T09:30:00Z') });
    expect(JSON.parse(String(stored['content']))).toEqual({ message: 'Hello', media_with_caption: false });
  });
});

describe('the error table of the unofficial broadcast', () => {
  it('405, 401', async () => {
    expectRefused(await chat.request('/webhook/api/addbroadcastUnofficial.php'), 405, 'Method not allowed');
    expectRefused(await chat.unofficial(null, GOOD), 401, TOKEN);
    expectRefused(await chat.unofficial(member, { ...GOOD, username: 'nobody-here' }), 401, TOKEN);
    expectRefused(await chat.unofficial(null, {}, { authorization: 'Bearer nonsense' }), 401, TOKEN);
  });

  it.each(['broadcast_name', 'brodcast_service', 'contacts', 'message'])('%s missing, empty or odd', async (field) => {
    for (const value of [undefined, null, '', ' \t', true, {}, []]) {
      expectRefused(await chat.unofficial(member, { ...GOOD, [field]: value }), 400, REQUIRED);
    }
  });

  it('1500 code points, and no more', async () => {
    for (const character of ['a', 'я', '😀']) {
      expect((await chat.unofficial(member, { ...GOOD, message: character.repeat(1500) })).status).toBe(200);
      expectRefused(await chat.unofficial(member, { ...GOOD, message: character.repeat(1501) }), 400, TOO_LONG);
    }
  });

  it('9 to 30 digits a contact; one bad contact refuses all', async () => {
    for (const digits of [9, 30]) {
      expect((await chat.unofficial(member, { ...GOOD, contacts: ['1'.repeat(digits)] })).status).toBe(200);
    }
    for (const contact of ['1'.repeat(8), '1'.repeat(31), '', 'abc', null, true, {}]) {
      expectRefused(await chat.unofficial(member, { ...GOOD, contacts: ['919812345678', contact] }), 400, CONTACTS);
    }
  });

  it.each(ATTACHMENTS)('%s: http or https, or nothing', async (field) => {
    for (const url of ['ftp://f.example/a', 'f.example/a.jpg', 'https://', 'javascript:alert(1)', true, {}, ['x'], 7]) {
      expectRefused(await chat.unofficial(member, { ...GOOD, [field]: url }), 400, urlText(field));
    }
    for (const url of ['', null, 'HTTPS://f.example/a b.jpg']) {
      expect((await chat.unofficial(member, { ...GOOD, [field]: url })).status, String(url)).toBe(200);
    }
  });

  it('checks the rows in order, then the route, and credits last', async () => {
    const poor = await rich(1);
    const repairs: Record<string, unknown>[] = [
      { broadcast_name: 'Spring' },
      { message: 'Hello' },
      { contacts: ['919812345678', '919812345679'] },
      { img1: 'https://f.example/1.jpg' },
      { img2: 'https://f.example/2.jpg' },
      { document: 'https://f.example/a.pdf' },
      { schedule_time: null },
    ];
    const texts = [REQUIRED, TOO_LONG, CONTACTS, ...ATTACHMENTS.map(urlText), SCHEDULE];
    let body: Record<string, unknown> = {
      ...GOOD,
      ...{ broadcast_name: '', message: 'a'.repeat(1501), contacts: ['1'], schedule_time: 'never' },
      ...{ img1: 'x', img2: 'x', document: 'x' },
    };
    for (const [index, text] of texts.entries()) {
      expectRefused(await chat.unofficial(poor, body), 400, text);
      body = { ...body, ...repairs[index] };
    }
    expectRefused(await chat.unofficial(poor, body), 400, 'Insufficient credits. Available: 1, Required: 2');
    expect(await chat.credits(poor, 'bulk_chat_credits')).toBe(1);
  });

  it('never answers 500, whatever the types', async () => {
    const values: unknown[] = [true, {}, [], [null], 7, -0.5, '\u0000', '\ud800', 'a'.repeat(5_000), { toString: 1 }];
    const fields = [...Object.keys(GOOD), 'username', 'media_with_caption', 'schedule_time', ...ATTACHMENTS];
    for (const field of fields) {
      for (const value of values) {
        const { status } = await chat.unofficial(member, { ...GOOD, [field]: value });
        expect([200, 400, 401], `${field} = ${JSON.stringify(value)}`).toContain(status);
      }
    }
  });
});

// The last, because passport keeps one strategy a process: a second API takes over the first one's tokens.
describe('an API of its own', () => {
  it('takes the prefix of its ids from the environment', async () => {
    const branded = await openChat({ UNOFFICIAL_PREFIX: 'ACME' });
    try {
      await branded.addRoute('chat', true, 'unofficial');
      const sender = await branded.join({ bulk_chat_credits: 1 });
      expect((await branded.unofficial(sender, GOOD)).body['request_id']).toMatch(/^ACME_\d{8}_[A-Z0-9]{6}$/);
    } finally {
      await branded.stop();
    }
  });

  it('503 without a route of the channel, before the debit; an SMS route is none', async () => {
    const lonely = await openChat();
    try {
      const poor = await lonely.join({ bulk_chat_credits: 0 });
      const named = { ...GOOD, brodcast_service: 'main' };
      expectRefused(await lonely.unofficial(poor, named), 503, 'No route available for this channel');
    } finally {
      await lonely.stop();
    }
  });

  it('429 after 10 requests in 60 seconds, counted apart from SMS', async () => {
    const limited = await openChat({ BROADCAST_RATE_LIMIT: 10 });
    try {
      const one = await limited.join({ bulk_chat_credits: 10 });
      for (let count = 0; count < 10; count++) expectRefused(await limited.unofficial(one, {}), 400, REQUIRED);
      const refused = await limited.unofficial(one, GOOD);
      expectRefused(refused, 429, TOO_MANY);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      expectRefused(await limited.unofficial(null, { username: one.account.username }), 429, TOO_MANY);
      expectRefused(await limited.broadcast(one, {}), 400, REQUIRED);
    } finally {
      await limited.stop();
    }
  });
});
