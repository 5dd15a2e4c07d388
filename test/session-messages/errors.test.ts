import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ChatMember, openSessions, type Sessions } from '../support/sessions.js';
import { refusal } from '../support/sms.js';

const TOKEN = 'Invalid Authorization token';
const NO_ACCOUNT = 'No chat account found for this username';
const PRODUCT = 'messaging_product must be chat';
const TO = 'to is required';
const TYPE = 'type is required';
const TYPES =
  'type must be one of: text, image, audio, video, document, sticker, location, contacts, interactive, reaction, template';
const INVALID = 'Recipient phone number is invalid';
const LENGTH = 'Recipient phone number must be between 8 and 20 digits';
const SILENT = 'Provider did not answer';

const ENVELOPE = { messaging_product: 'chat', to: '919812345678' };
const GOOD = { ...ENVELOPE, type: 'text', text: { body: 'Hello' } };
/** What is no text and no number. */
const ODD = [true, false, {}, { a: 1 }, ['x'], []];
const EMPTY = [undefined, null, '', ' \t'];

let sessions: Sessions;
let member: ChatMember;

beforeAll(async () => {
  sessions = await openSessions();
  member = await sessions.member();
});
afterAll(() => sessions.stop());
beforeEach(() => sessions.upstream.answer(null));

async function expectRefused(who: Omit<ChatMember, 'routeId'>, body: unknown, status: number, text: string) {
  const answer = await sessions.v6(who, body);
  expect(answer.body).toEqual(refusal(status, text));
  expect(answer.status).toBe(status);
}

describe('who may send', () => {
  const path = (username: string): string => `/v6/api/chat/24/${username}/messages`;

  it('405 on every other method', async () => {
    for (const method of ['GET', 'PUT', 'DELETE', 'PATCH']) {
      const answer = await sessions.accounts.call(method, path(member.account.username), { token: member.token });
      expect(answer.body).toEqual(refusal(405, 'Method not allowed'));
      expect(answer.headers.get('allow')).toBe('POST');
    }
  });

  it('400 without a valid token, before the path and the body', async () => {
    const calls: Record<string, string>[] = [
      {},
      { authorization: 'Bearer nonsense' },
      { authorization: 'Bearer nonsense', cookie: `auth_token=${member.token}` },
      { cookie: `auth_token=${member.token}`, 'sec-fetch-site': 'cross-site' },
    ];
    for (const headers of calls) {
      const answer = await sessions.accounts.call('POST', path('somebody'), { headers, body: {} });
      expect(answer.body).toEqual(refusal(400, TOKEN));
    }
  });

  it('takes the token as a cookie', async () => {
    const headers = { cookie: `auth_token=${member.token}` };
    const answer = await sessions.accounts.call('POST', path(member.account.username), { headers, body: GOOD });
    expect(answer.status).toBe(200);
  });

  it('401 for the path of another, before the chat account is looked for', async () => {
    const stranger = await sessions.stranger();
    for (const username of [member.account.username, stranger.account.username.toUpperCase(), 'nobody']) {
      const answer = await sessions.v6(stranger, {}, { username });
      expect(answer.body).toEqual(refusal(401, 'Route username does not match authenticated user'));
    }
  });

  it('404 without an official chat account, before the faults of the body', async () => {
    const stranger = await sessions.stranger();
    for (const body of [{}, GOOD, { type: 'template' }]) await expectRefused(stranger, body, 404, NO_ACCOUNT);
    await sessions.connect(stranger.account, { connection: 'branded' });
    await expectRefused(stranger, GOOD, 404, NO_ACCOUNT);
  });
});

describe('the body', () => {
  it.each([...EMPTY, ...ODD, 'whatsapp', 'Chat', 7])('messaging_product %j', async (value) => {
    await expectRefused(member, { ...GOOD, messaging_product: value }, 400, PRODUCT);
  });

  it.each([...EMPTY, ...ODD])('to %j', async (value) => {
    await expectRefused(member, { ...GOOD, to: value }, 400, TO);
  });

  it.each([...EMPTY, ...ODD])('type %j', async (value) => {
    await expectRefused(member, { ...GOOD, type: value }, 400, TYPE);
  });

  it.each(['Text', 'poll', 7, 'constructor'])('unknown type %j', async (value) => {
    await expectRefused(member, { ...GOOD, type: value }, 400, TYPES);
  });

  it.each(['+', '--', 'abc', '9198123x5678', '91,92', '9'.repeat(21) + 'a', 1.5])('to %j', async (value) => {
    await expectRefused(member, { ...GOOD, to: value }, 400, INVALID);
  });

  it('to, a number that JSON rounds', async () => {
    await expectRefused(member, { ...GOOD, to: 1e30 }, 400, 'to is required');
  });

  it.each(['1'.repeat(7), '1'.repeat(21), '+1 2-3', 1234567])('length of %j', async (value) => {
    await expectRefused(member, { ...GOOD, to: value }, 400, LENGTH);
  });

  it.each(['1'.repeat(8), '1'.repeat(20), ' +91 98-12 345678', 919812345678])('takes %j', async (value) => {
    expect((await sessions.v6(member, { ...GOOD, to: value })).status).toBe(200);
    expect(sessions.upstream.last.body['to']).toBe(String(value).replace(/\D/g, ''));
  });

  const parts: [string, string, unknown[]][] = [
    ['text', 'text.body is required', [...EMPTY, ...ODD, 'x', ...[...EMPTY, ...ODD].map((body) => ({ body }))]],
    ['image', 'image is required', [...EMPTY, true, ['x'], [], 'x', 7]],
    ['image', 'image.id or image.link is required', [{}, { id: '', link: ' ' }, { id: true }, { link: ['x'] }]],
    ...['audio', 'video', 'document', 'sticker'].map((type): [string, string, unknown[]] => [
      type,
      `${type}.id or ${type}.link is required`,
      [...EMPTY, ...ODD, 'x', { id: '' }, { link: null }, { id: {}, link: false }],
    ]),
    [
      'location',
      'location.latitude and location.longitude are required',
      [
        ...EMPTY,
        ...ODD,
        { latitude: 1 },
        { longitude: 1 },
        { latitude: 'north', longitude: 1 },
        { latitude: true, longitude: 1 },
      ],
    ],
    ['contacts', 'contacts must be a non-empty array', [...EMPTY, true, {}, [], 'x', { length: 1 }]],
    ['interactive', 'interactive is required', [...EMPTY, true, ['x'], 'x', 7]],
    [
      'reaction',
      'reaction.message_id and reaction.emoji are required',
      [...EMPTY, ...ODD, { message_id: 'wamid.1' }, { emoji: '👍' }, { message_id: 'wamid.1', emoji: '' }],
    ],
  ];

  it.each(parts)('%s: %s', async (type, text, values) => {
    for (const value of values) await expectRefused(member, { ...ENVELOPE, type, [type]: value }, 400, text);
  });

  it.each(['[]', '"text"', '7', 'null'])('a body of %s has no fields', async (body) => {
    await expectRefused(member, body, 400, PRODUCT);
  });

  it('malformed JSON', async () => {
    await expectRefused(member, '{"a":', 400, 'Malformed JSON body');
  });

  it('checks the rows in order, the connection after them, the provider last', async () => {
    const who = await sessions.stranger();
    await expectRefused(who, {}, 404, NO_ACCOUNT);
    await sessions.connect(who.account, { url: null, token: null });
    const steps: [string, Record<string, unknown>][] = [
      [PRODUCT, { messaging_product: 'chat' }],
      [TO, { to: 'abc' }],
      [TYPE, { type: 'poll' }],
      [TYPES, { type: 'text' }],
      [INVALID, { to: '123' }],
      [LENGTH, { to: '919812345678' }],
      ['text.body is required', { text: { body: 'Hello' } }],
    ];
    let body: Record<string, unknown> = {};
    for (const [text, repair] of steps) {
      await expectRefused(who, body, 400, text);
      body = { ...body, ...repair };
    }
    await expectRefused(who, body, 404, 'Missing phone-number ID for this chat account');
    await sessions.connect(who.account, { url: 'https://graph.example/v21.0/numbers', token: null });
    await expectRefused(who, body, 404, 'Missing phone-number ID for this chat account');
    await sessions.connect(who.account, { url: 'no url', token: null });
    await expectRefused(who, body, 404, 'Missing account token for this chat account');
    await sessions.connect(who.account, { url: 'no url' });
    await expectRefused(who, body, 500, 'Unable to resolve provider endpoint');
    await sessions.connect(who.account, { provider: 'other' });
    await expectRefused(who, body, 500, 'Unable to resolve provider endpoint');
    expect(await sessions.stored(who)).toEqual([]);
  });
});

describe('the provider', () => {
  it('refuses: 502 with its own text, and the message is stored as FAILED', async () => {
    const who = await sessions.member();
    const error = { message: '(#131047) Re-engagement message', type: 'OAuthException', code: 131047 };
    sessions.upstream.answer({ status: 400, body: { error } });
    await expectRefused(who, GOOD, 502, error.message);
    expect(await sessions.stored(who)).toMatchObject([
      { status: 'Failed', errorCode: 131047, errorMessage: error.message, providerMessageId: null },
    ]);
  });

  it('its text is cut at 500 characters and holds no token', async () => {
    const who = await sessions.member();
    const message = `${'я'.repeat(490)} token-of-the-account`;
    sessions.upstream.answer({ status: 401, body: { error: { message, code: 190 } } });
    const { status, body } = await sessions.v6(who, GOOD);
    expect(status).toBe(502);
    expect(Array.from(String(body.message)).length).toBeLessThanOrEqual(500);
    expect(JSON.stringify(body)).not.toContain('token-of');
  });

  it('is silent, fails, redirects, or says something odd or too long: Provider did not answer', async () => {
    for (const order of [
      'silence',
      { status: 500, body: { error: { message: 'secret' } } },
      { status: 302, body: '', headers: { location: 'http://127.0.0.1:1/' } },
      { status: 200, body: '<html>' },
      { status: 200, body: '[]' },
      { status: 200, body: JSON.stringify({ messages: 'x'.repeat(1024 * 1024) }) },
    ] as const) {
      const who = await sessions.member();
      sessions.upstream.answer(order);
      await expectRefused(who, GOOD, 502, SILENT);
      expect(await sessions.stored(who)).toMatchObject([{ status: 'Unknown', errorMessage: null }]);
    }
  });
});
