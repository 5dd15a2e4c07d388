import { DataSource } from 'typeorm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ChatAccountDraft, ChatAccounts } from '../../src/modules/providers/index.js';
import { inTransaction } from '../../src/platform/database/index.js';
import { APP_ID, NUMBER_ID, ProfileUpstream, type UpstreamAnswer } from '../support/profile-upstream.js';
import { type RunningApi, startApi } from '../support/api.js';
import { accountsOf, type Accounts, type Answer } from '../support/accounts.js';

const PROFILE = '/v6/api/account/business-profile';
const PHOTO = `${PROFILE}/photo`;
const MB = 1024 * 1024;
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const EMPTY = {
  about: '',
  address: '',
  description: '',
  email: '',
  profile_picture_url: '',
  websites: [],
  vertical: '',
};
const REFUSAL = { error: { message: '(#100) Param vertical is not known', type: 'OAuthException', code: 100 } };

let api: RunningApi;
let accounts: Accounts;
let upstream: ProfileUpstream;

beforeAll(async () => {
  upstream = await ProfileUpstream.open();
  api = await startApi({ USER_RATE_LIMIT: 0 });
  accounts = accountsOf(api);
});
afterAll(async () => {
  await api.stop();
  await upstream.stop();
});
beforeEach(() => upstream.clear());

/** Connects a chat account; the ids of the upstream unless changed. */
async function connect(accountId: number, change: Partial<ChatAccountDraft> = {}): Promise<void> {
  const chatAccounts = api.app.get(ChatAccounts, { strict: false });
  const draft: ChatAccountDraft = {
    accountId,
    connection: 'official',
    provider: 'meta_cloud',
    number: '15550001111',
    url: upstream.accountUrl,
    token: 'token-of-the-account',
    appId: APP_ID,
    appSecret: null,
    verifyToken: null,
    bmid: null,
    wabaId: null,
    messagesPerSecond: null,
    ...change,
  };
  await inTransaction(api.app.get(DataSource), (tx) => chatAccounts.put(tx, draft));
  chatAccounts.forget();
}

/** A token of a new account with a chat account; null: without one. */
async function member(change: Partial<ChatAccountDraft> | null = {}): Promise<string> {
  const account = await accounts.account();
  if (change) await connect(account.id, change);
  return accounts.token(account);
}

const read = (token: string, query = ''): Promise<Answer> => accounts.call('GET', PROFILE + query, { token });
const update = (token: string, body: unknown): Promise<Answer> => accounts.call('PUT', PROFILE, { token, body });

function form(file: Buffer | null = PNG, fields: Record<string, string> = {}, name = 'file'): FormData {
  const body = new FormData();
  if (file) body.append(name, new Blob([new Uint8Array(file)], { type: 'text/plain' }), 'me.txt');
  for (const [field, value] of Object.entries(fields)) body.append(field, value);
  return body;
}

async function upload(token: string, body: FormData | string, headers: Record<string, string> = {}): Promise<Answer> {
  const response = await fetch(api.url + PHOTO, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, ...headers },
    body,
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as Answer['body'] };
}

const row = ({ status, body }: Answer): [number, string | undefined] => [status, body.message];

/** The three endpoints, each with a request that would succeed. */
const ENDPOINTS: [string, (token: string) => Promise<Answer>][] = [
  ['GET', (token) => read(token)],
  ['PUT', (token) => update(token, { about: 'Bread' })],
  ['photo', (token) => upload(token, form())],
];

describe('reading the profile', () => {
  it('answers the seven fields, empty where the provider says nothing', async () => {
    const token = await member();
    expect((await read(token)).body).toEqual({ message: 'Business profile fetched successfully', data: EMPTY });
    upstream.profile = { about: 'Bread', websites: ['https://a.example'], extra: 1 };
    const { status, body } = await read(token);
    expect(body['data']).toEqual({ ...EMPTY, about: 'Bread', websites: ['https://a.example'] });
    expect(status).toBe(200);
  });

  it('asks the number of the account, with its token', async () => {
    await read(await member());
    const [call] = upstream.calls;
    expect(call).toMatchObject({ method: 'GET', path: `/v21.0/${NUMBER_ID}/whatsapp_business_profile` });
    expect(call?.query).toEqual({ fields: 'about,address,description,email,profile_picture_url,vertical,websites' });
    expect(call?.headers).toMatchObject({ authorization: 'Bearer token-of-the-account' });
    expect(call?.headers).not.toHaveProperty('bmid');
  });

  it('reaches CRM accounts alike, and tells a reseller for whom it asks', async () => {
    expect((await read(await member({ provider: 'crm' }))).status).toBe(200);
    expect((await read(await member({ provider: 'reseller', bmid: '9911' }))).status).toBe(200);
    expect(upstream.calls.map((call) => call.headers['bmid'])).toEqual([undefined, '9911']);
  });
});

describe('changing the profile', () => {
  it('sends the supplied fields only and answers the profile after the change', async () => {
    const token = await member();
    upstream.profile = { about: 'Old', email: 'old@a.example' };
    const answer = await update(token, { about: 'New', websites: ['https://a.example'], unknown: 1, channel: '' });
    expect(answer.body).toEqual({
      message: 'Business profile updated successfully',
      data: { ...EMPTY, about: 'New', email: 'old@a.example', websites: ['https://a.example'] },
    });
    expect(answer.headers.get('switchboard-warnings')).toBe('[{"code":"unknown_field","field":"unknown"}]');
    expect(answer.status).toBe(200);
    expect(JSON.parse(String(upstream.calls[0]?.body))).toEqual({
      messaging_product: 'whatsapp',
      about: 'New',
      websites: ['https://a.example'],
    });
  });

  it('clears what is empty, and changes nothing for an empty body', async () => {
    const token = await member();
    upstream.profile = { description: 'Old', vertical: 'RETAIL' };
    expect((await update(token, { description: null })).body['data']).toEqual({ ...EMPTY, vertical: 'RETAIL' });
    upstream.calls.length = 0;
    expect((await update(token, {})).body['data']).toEqual({ ...EMPTY, vertical: 'RETAIL' });
    expect(upstream.asked).toEqual([`GET /v21.0/${NUMBER_ID}/whatsapp_business_profile`]);
  });

  it.each(['about', 'address', 'description', 'email', 'vertical'])('%s must be a string', async (field) => {
    const token = await member();
    for (const wrong of [true, {}, ['x']])
      expect(row(await update(token, { [field]: wrong }))).toEqual([400, `${field} must be a string`]);
    expect(upstream.calls).toEqual([]);
  });

  it('websites must be an array of strings', async () => {
    const token = await member();
    for (const wrong of ['https://a.example', {}, [true], [{}]])
      expect(row(await update(token, { websites: wrong }))).toEqual([400, 'websites must be an array of strings']);
  });

  it('refuses what is no JSON', async () => {
    expect(row(await update(await member(), '{'))).toEqual([400, 'Malformed JSON body']);
  });
});

describe('changing the photo', () => {
  it('runs in three steps and answers what the provider said to the last', async () => {
    const token = await member();
    const answer = await upload(token, form());
    expect(answer.body).toEqual({ message: 'Profile photo updated successfully', data: { success: true } });
    expect(answer.status).toBe(200);
    expect(upstream.asked).toEqual([
      `POST /v21.0/${APP_ID}/uploads`,
      'POST /v21.0/upload:MTphdHRhY2htZW50OjE=',
      `POST /v21.0/${NUMBER_ID}/whatsapp_business_profile`,
    ]);
    const [session, bytes, change] = upstream.calls;
    expect(session?.query).toEqual({ file_name: 'photo.png', file_length: String(PNG.length), file_type: 'image/png' });
    expect(bytes?.query).toEqual({ sig: 'ARZqkGCA' });
    expect(bytes?.headers).toMatchObject({ authorization: 'OAuth token-of-the-account', file_offset: '0' });
    expect(bytes?.body.equals(PNG)).toBe(true);
    expect(JSON.parse(String(change?.body))).toEqual({
      messaging_product: 'whatsapp',
      profile_picture_handle: '4::aW1hZ2UvcG5n:ARb:e:1700000000',
    });
    const profile = await read(token);
    expect(profile.body['data']).toMatchObject({ profile_picture_url: 'https://cdn.example/new.png' });
  });

  it('asks for the application of the token when the account names none', async () => {
    expect((await upload(await member({ appId: null }), form())).status).toBe(200);
    expect(upstream.asked[0]).toBe('POST /v21.0/app/uploads');
  });

  it.each(['session', 'bytes', 'change'] as const)(
    'tells the error of the step %s and goes no further',
    async (step) => {
      const token = await member();
      upstream.order(step, { status: 400, body: { error: { message: `refused at ${step}`, code: 100 } } });
      expect(row(await upload(token, form()))).toEqual([422, `refused at ${step}`]);
      expect(upstream.calls).toHaveLength(['session', 'bytes', 'change'].indexOf(step) + 1);
      upstream.order(step, { status: 200, body: {} });
      const silent = step === 'change' ? [200, 'Profile photo updated successfully'] : [502, 'Provider did not answer'];
      expect(row(await upload(token, form()))).toEqual(silent);
      upstream.order(step, { status: 503, body: {} });
      expect(row(await upload(token, form()))).toEqual([502, 'Provider did not answer']);
      upstream.clear();
      expect((await upload(token, form())).status).toBe(200);
    },
  );

  it('takes 5 MB, to the byte, and JPEG or PNG by content', async () => {
    const token = await member();
    const sized = (size: number): Buffer => Buffer.concat([PNG, Buffer.alloc(size - PNG.length)]);
    expect((await upload(token, form(sized(5 * MB)))).status).toBe(200);
    expect(upstream.calls[1]?.body).toHaveLength(5 * MB);
    upstream.calls.length = 0;
    expect(row(await upload(token, form(sized(5 * MB + 1))))).toEqual([422, 'Photo must be at most 5 MB']);
    expect(row(await upload(token, form(Buffer.from('GIF89a'))))).toEqual([422, 'Photo must be a JPEG or PNG image']);
    expect(row(await upload(token, form(Buffer.alloc(0))))).toEqual([422, 'Photo must be a JPEG or PNG image']);
    expect(row(await upload(token, form(sized(10 * MB + 1))))).toEqual([413, 'Request body is too large']);
    expect(upstream.calls).toEqual([]);
  });

  it('wants a file in the field file', async () => {
    const token = await member();
    const json = { 'content-type': 'application/json' };
    expect(row(await upload(token, form(null)))).toEqual([400, 'file is required']);
    expect(row(await upload(token, form(null, { file: 'text' })))).toEqual([400, 'file is required']);
    expect(row(await upload(token, form(PNG, {}, 'photo')))).toEqual([400, 'file is required']);
    expect(row(await upload(token, '{}', json))).toEqual([400, 'file is required']);
    const stray = form();
    stray.append('other', new Blob(['x']), 'x.txt');
    expect((await upload(token, stray)).status).toBe(200);
  });

  it('refuses a form that cannot be read', async () => {
    const token = await member();
    const unsupported = [415, 'Unsupported charset or encoding'];
    expect(row(await upload(token, form(), { 'content-encoding': 'gzip' }))).toEqual(unsupported);
    const malformed = [400, 'Malformed multipart body'];
    const type = 'multipart/form-data';
    expect(row(await upload(token, 'x', { 'content-type': type }))).toEqual(malformed);
    expect(row(await upload(token, '--b\r\nx', { 'content-type': `${type}; boundary=b` }))).toEqual(malformed);
    const many = form();
    for (let count = 0; count < 30; count++) many.append(`field${count}`, 'x');
    expect(row(await upload(token, many))).toEqual(malformed);
  });
});

describe.each(ENDPOINTS)('the error table, %s', (name, ask) => {
  const missing =
    name === 'photo'
      ? 'No chat account configured for this user'
      : 'Chat account not found in the provider-accounts table';

  it('begins with the token, in the header only', async () => {
    const token = await member();
    expect(row(await ask('nonsense'))).toEqual([401, 'Invalid Authorization token']);
    const [method, path] = name === 'photo' ? ['POST', PHOTO] : [name, PROFILE];
    const headers = { cookie: `auth_token=${token}` };
    expect(await accounts.row(method, path, { headers })).toEqual([401, 'Invalid Authorization token']);
    expect(await accounts.row('PATCH', path, { token })).toEqual([405, 'Method not allowed']);
  });

  it.each([
    [404, missing, null],
    [404, missing, { connection: 'branded' }],
    [422, 'Chat credentials are not configured', { token: null }],
    [
      422,
      'Business profile is only supported for Meta Cloud API, CRM and reseller-provider accounts',
      { provider: 'other' },
    ],
    [422, 'Could not resolve phone_number_id from account URL', { url: 'https://graph.example/messages' }],
    [422, 'Could not resolve phone_number_id from account URL', { url: 'no url 123' }],
    [422, 'Could not resolve phone_number_id from account URL', { url: null }],
    [422, 'Reseller-provider account is missing its Business Manager ID (bmid)', { provider: 'reseller' }],
  ] satisfies [number, string, Partial<ChatAccountDraft> | null][])('%i %s', async (status, message, change) => {
    expect(row(await ask(await member(change)))).toEqual([status, message]);
    expect(upstream.calls).toEqual([]);
  });

  it('is checked from top to bottom', async () => {
    const all = { token: null, provider: 'other', url: null } as const;
    expect(row(await ask(await member(all)))).toEqual([422, 'Chat credentials are not configured']);
    const unsupported = 'Business profile is only supported for Meta Cloud API, CRM and reseller-provider accounts';
    expect(row(await ask(await member({ ...all, token: 't' })))).toEqual([422, unsupported]);
    const reseller = { provider: 'reseller', url: null } as const;
    expect(row(await ask(await member(reseller)))).toEqual([422, 'Could not resolve phone_number_id from account URL']);
  });

  it('tells the provider’s own text when it refuses, without the token', async () => {
    const token = await member();
    const step = name === 'GET' ? 'read' : 'change';
    upstream.order(step, { status: 400, body: REFUSAL });
    expect(row(await ask(token))).toEqual([422, '(#100) Param vertical is not known']);
    const long = `token-of-the-account ${'x'.repeat(600)}`;
    upstream.order(step, { status: 401, body: { error: { message: long } } });
    const [status, text] = row(await ask(token));
    expect(status).toBe(422);
    expect(text).toHaveLength(500);
    expect(text).not.toContain('token-of-the-account');
  });

  it.each([
    ['a server error', { status: 500, body: REFUSAL }],
    ['something else than JSON', { status: 200, body: '<html></html>' }],
    ['a redirect', { status: 302, body: {} }],
    ['silence', 'silence'],
  ] satisfies [string, UpstreamAnswer][])('502 for %s', async (_what, answer) => {
    const token = await member();
    upstream.order(name === 'GET' ? 'read' : 'change', answer);
    expect(row(await ask(token))).toEqual([502, 'Provider did not answer']);
  });
});

describe('a request without a body', () => {
  it('changes nothing, or misses its file', async () => {
    const token = await member();
    const bare = await fetch(`${api.url}${PROFILE}`, { method: 'PUT', headers: { authorization: `Bearer ${token}` } });
    expect(bare.status).toBe(200);
    const photo = await fetch(`${api.url}${PHOTO}`, { method: 'POST', headers: { authorization: `Bearer ${token}` } });
    expect([photo.status, ((await photo.json()) as { message: string }).message]).toEqual([400, 'file is required']);
    for (const body of ['[]', '[1]']) expect((await update(token, JSON.parse(body))).status).toBe(200);
    const asJson = await accounts.row('POST', PHOTO, { token, body: { file: 'x' } });
    expect(asJson).toEqual([400, 'file is required']);
    expect(upstream.asked.filter((asked) => asked.startsWith('POST'))).toEqual([]);
  });
});

describe('the error table of the body', () => {
  it('comes after that of the account', async () => {
    const token = await member({ token: null });
    expect(row(await update(token, { about: true }))).toEqual([422, 'Chat credentials are not configured']);
    expect(row(await upload(token, form(null)))).toEqual([422, 'Chat credentials are not configured']);
    expect(row(await upload(token, form(Buffer.from('x'))))).toEqual([422, 'Chat credentials are not configured']);
  });
});

describe('channel', () => {
  it('chooses the connection; official unless said', async () => {
    const token = await member({ connection: 'branded' });
    expect((await read(token, '?channel=branded')).status).toBe(200);
    expect((await update(token, { about: 'x', channel: 'branded' })).status).toBe(200);
    expect((await upload(token, form(PNG, { channel: 'branded' }))).status).toBe(200);
    for (const query of ['', '?channel=', '?channel=official']) expect((await read(token, query)).status).toBe(404);
  });

  it('is official or branded', async () => {
    const token = await member(null);
    const refused = [400, 'channel must be official or branded'];
    for (const query of ['?channel=Branded', '?channel=official&channel=branded'])
      expect(row(await read(token, query))).toEqual(refused);
    for (const channel of ['x', 1, true, {}, ['branded']])
      expect(row(await update(token, { channel }))).toEqual(refused);
    expect(row(await upload(token, form(PNG, { channel: 'x' })))).toEqual(refused);
  });
});
