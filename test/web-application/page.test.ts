import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Account } from '../../src/modules/accounts/index.js';
import { accountsOf, type Accounts, PASSWORD } from '../support/accounts.js';
import { type RunningApi, startApi } from '../support/api.js';

let api: RunningApi;
let accounts: Accounts;
let admin: Account;

beforeAll(async () => {
  api = await startApi();
  accounts = accountsOf(api);
  admin = await accounts.account({ userType: 'admin' });
});
/** Passport knows one strategy a process, that of the instance started last: it must not stop before the tests end. */
const others: RunningApi[] = [];
afterAll(async () => {
  for (const other of others) await other.stop();
  await api.stop();
});

const logIn = async ({ username }: Account, at = api) =>
  fetch(`${at.url}/v6/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email_or_username: username, password: PASSWORD }),
  });
const cookieOf = (response: Response): string => response.headers.get('set-cookie') ?? '';
const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(api.url + path, { headers: { accept: 'text/html', ...headers }, redirect: 'manual' });
const session = async (account: Account): Promise<Record<string, string>> => ({
  cookie: cookieOf(await logIn(account)).split(';')[0] ?? '',
});

describe('the admin session', () => {
  it.each(['super', 'admin'])('is set for %s, for the admin page alone', async (userType) => {
    const cookie = cookieOf(await logIn(await accounts.account({ userType })));
    expect(cookie).toMatch(/^admin_session=[\w.-]+; Path=\/admin; HttpOnly; SameSite=Strict$/);
  });

  it.each(['client', 'reseller', null])('is not set for %s', async (userType) => {
    const response = await logIn(await accounts.account({ userType }));
    expect(response.status).toBe(200);
    expect(response.headers.get('set-cookie')).toBeNull();
  });

  it('is Secure in production and where the world knows us by https', async () => {
    for (const change of [{ NODE_ENV: 'production' as const }, { PUBLIC_URL: 'https://switchboard.example' }]) {
      const other = await startApi({ ...api.environment, ...change }, api.database);
      expect(cookieOf(await logIn(admin, other))).toMatch(/; HttpOnly; Secure; SameSite=Strict$/);
      others.push(other);
    }
  });

  it('is unknown to the API', async () => {
    const { cookie } = await session(admin);
    const headers = { cookie: `${String(cookie)}; auth_token=` };
    expect(await accounts.row('GET', '/v6/api/admin/campaigns', { headers })).toEqual([
      401,
      'Invalid Authorization token',
    ]);
    const legacy = await accounts.call('POST', '/webhook/api/createTemplates.php', { headers, body: {} });
    expect(legacy.status).toBe(401);
  });

  it('is forgotten at the logout', async () => {
    // of its own: two logins of one account in the same second are one token, which a logout ends
    const leaving = await session(await accounts.account({ userType: 'admin' }));
    const response = await fetch(`${api.url}/admin/logout`, { method: 'POST', headers: leaving });
    expect(response.status).toBe(204);
    expect(cookieOf(response)).toMatch(/^admin_session=; Path=\/admin; Expires=Thu, 01 Jan 1970/);
  });
});

describe.each([
  ['/', '/app'],
  ['/admin', '/app'],
  ['/admin/login', '/app/login'],
])('%s', (path, to) => {
  it('leads to the web application', async () => {
    const response = await get(path);
    expect([response.status, response.headers.get('location')]).toEqual([302, to]);
    expect(response.headers.get('cache-control')).toBe('no-store');
    const other = await startApi({ ...api.environment, PUBLIC_URL: 'https://x.example/c/b' }, api.database);
    others.push(other);
    const below = await fetch(other.url + path, { redirect: 'manual' });
    expect(below.headers.get('location')).toBe(`/c/b${to}`);
  });

  it('answers GET and HEAD alone', async () => {
    expect((await fetch(api.url + path, { method: 'HEAD', redirect: 'manual' })).status).toBe(302);
    const response = await fetch(api.url + path, { method: 'DELETE' });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });
});

describe.each(['/admin/queues', '/admin/queues/queue/sms'])('%s', (path) => {
  it('leads to the login without a session of the staff', async () => {
    const client = await accounts.account();
    const strangers = [
      '',
      'admin_session=',
      'admin_session=x.y.z',
      `admin_session=${accounts.token(client)}`,
      `auth_token=${accounts.token(admin)}`,
    ];
    for (const cookie of strangers) {
      const response = await get(path, cookie === '' ? {} : { cookie });
      expect([response.status, response.headers.get('location')], cookie).toEqual([
        302,
        `/app/login?then=${encodeURIComponent(path)}`,
      ]);
    }
  });

  it('opens with one', async () => {
    const response = await get(path, await session(admin));
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^text\/html/);
    expect(response.headers.get('cache-control')).toBe('no-store');
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(/(^|; )default-src 'none'/);
    expect(policy).toMatch(/; script-src 'self';/);
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  });

  it('closes when the account is no member of the staff any more', async () => {
    const former = await accounts.account({ userType: 'admin' });
    const headers = await session(former);
    const superAdmin = await accounts.account({ userType: 'super' });
    const change = { token: accounts.token(superAdmin), body: { user_type: 'client', current_password: PASSWORD } };
    expect((await accounts.call('PATCH', `/v6/api/admin/accounts/${former.username}`, change)).status).toBe(200);
    expect((await get(path, headers)).status).toBe(302);
  });
});

describe('the queue dashboard', () => {
  it('tells programs 401 and lists the queues to staff', async () => {
    const json = { accept: 'application/json' };
    expect((await get('/admin/queues/api/queues', json)).status).toBe(401);
    const answer = await get('/admin/queues/api/queues', { ...json, ...(await session(admin)) });
    const { queues } = (await answer.json()) as { queues: { name: string; readOnlyMode: boolean }[] };
    const channels = ['branded', 'sms', 'template', 'unofficial', 'voice'];
    expect(queues.map(({ name }) => name).sort()).toEqual(channels.flatMap((name) => [name, `${name}-urgent`]));
    expect(queues.every(({ readOnlyMode }) => readOnlyMode)).toBe(true);
  });

  it.each(['POST', 'PUT', 'PATCH', 'DELETE'])('changes nothing: %s is refused', async (method) => {
    const headers = await session(admin);
    for (const path of ['/admin/queues/api/queues/sms/pause', '/admin/queues/api/queues/sms/empty']) {
      expect((await fetch(api.url + path, { method, headers })).status).toBe(405);
    }
  });

  it('says so when Redis is away, in time and without its address', async () => {
    const away = { ...api.environment, REDIS_URL: 'redis://:hidden@127.0.0.1:1' };
    const other = await startApi(away, api.database);
    others.push(other);
    const headers = { accept: 'application/json', ...(await session(admin)) };
    for (const path of ['/admin/queues/api/queues', '/admin/queues/api/queues?activeQueue=sms&status=waiting']) {
      const response = await fetch(other.url + path, { headers, signal: AbortSignal.timeout(15_000) });
      const { message } = (await response.json()) as { message: string };
      expect([response.status, message], path).toEqual([503, 'Redis does not answer']);
    }
    expect((await fetch(`${other.url}/admin/queues`, { headers: { ...headers, accept: 'text/html' } })).status).toBe(
      200,
    );
  });

  it('serves its own scripts, and no file of the machine', async () => {
    const headers = await session(admin);
    const page = await (await get('/admin/queues', headers)).text();
    const script = /src="(static\/js\/main[^"]+)"/.exec(page)?.[1] ?? '';
    expect((await get(`/admin/queues/${script}`, headers)).status).toBe(200);
    for (const path of ['/admin/queues/static/..%2f..%2fpackage.json', '/admin/queues/%2e%2e/assets/..%2findex.html']) {
      expect((await get(path, headers)).status).toBe(404);
    }
  });
});
