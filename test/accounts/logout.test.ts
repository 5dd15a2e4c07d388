import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Account } from '../../src/modules/accounts/index.js';
import { accountsOf, type Accounts, PASSWORD } from '../support/accounts.js';
import { type RunningApi, startApi } from '../support/api.js';
import { until } from '../support/processes.js';

const CREDITS = '/v6/api/account/credits';
const REFUSED = [401, 'Invalid Authorization token'];
const DONE = [200, 'Logged out successfully'];
const OK = [200, undefined];

let api: RunningApi;
let accounts: Accounts;

beforeAll(async () => {
  api = await startApi({ USER_RATE_LIMIT: 0 });
  accounts = accountsOf(api);
});
afterAll(() => api.stop());

const use = (token: string) => accounts.row('GET', CREDITS, { token });
const logOut = (token: string, path = '/v6/api/v1/auth/logout') => accounts.row('POST', path, { token });
/** Tokens of one second, whenever they are made. */
const ofOneSecond = (account: Account): [string, string] => {
  const then = { ...account, passwordChangedAt: new Date(Date.now() + 5_000) };
  return [accounts.token(then), accounts.token(then)];
};

describe('logout', () => {
  it('ends the token on the server at once, under both prefixes', async () => {
    for (const path of ['/v6/api/v1/auth/logout', '/v1/auth/logout']) {
      const account = await accounts.account();
      const token = accounts.token(account);
      expect(await use(token)).toEqual(OK);
      expect(await logOut(token, path)).toEqual(DONE);
      expect(await use(token)).toEqual(REFUSED);
      expect(await logOut(token, path)).toEqual(REFUSED);
    }
  });

  it('leaves the other tokens of the account, of the same second too, and wants a good one', async () => {
    const account = await accounts.account();
    const [first, second] = ofOneSecond(account);
    expect(await logOut(first)).toEqual(DONE);
    expect([await use(first), await use(second)]).toEqual([REFUSED, OK]);
    for (const headers of [{}, { authorization: 'Bearer bad' }, { 'x-api-key': 'bad' }] as Record<string, string>[]) {
      expect(await accounts.row('POST', '/v1/auth/logout', { headers })).toEqual(REFUSED);
    }
  });

  it('takes the token of the cookie', async () => {
    const token = accounts.token(await accounts.account());
    expect(await accounts.row('POST', '/v1/auth/logout', { headers: { cookie: `auth_token=${token}` } })).toEqual(DONE);
    expect(await use(token)).toEqual(REFUSED);
  });

  it('of the admin page ends the token of its session', async () => {
    const admin = await accounts.account({ userType: 'admin' });
    const { body } = await accounts.call('POST', '/v1/auth/login', {
      body: { email_or_username: admin.username, password: PASSWORD },
    });
    const token = String(body['token']);
    const headers = { cookie: `admin_session=${token}`, accept: 'text/html' };
    const page = (path: string, method = 'GET') => fetch(api.url + path, { method, headers, redirect: 'manual' });
    expect((await page('/admin/queues')).status).toBe(200);
    expect((await page('/admin/logout', 'POST')).status).toBe(204);
    expect((await page('/admin/queues')).status).toBe(302);
    expect(await use(token)).toEqual(REFUSED);
    expect((await page('/admin/logout', 'POST')).status).toBe(204);
  });

  it('keeps no token, and rows only as long as they say something', async () => {
    const source = api.database.dataSource;
    const rows = () => source.query<{ digest: Buffer; expires_at: Date }[]>('SELECT * FROM revoked_tokens');
    const before = (await rows()).length;
    expect(before).toBeGreaterThan(0);
    await source.query('UPDATE revoked_tokens SET expires_at = UTC_TIMESTAMP(3) - INTERVAL 1 SECOND');
    const token = accounts.token(await accounts.account());
    expect(await logOut(token)).toEqual(DONE);
    const [row, ...others] = await rows();
    expect(others).toEqual([]);
    expect(row?.digest.toString('utf8')).not.toContain(token.slice(0, 8));
    const days = ((row?.expires_at.getTime() ?? 0) - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(6.9);
    expect(days).toBeLessThan(7.1);
  });

  it('acts on every other instance within seconds', async () => {
    const other = await startApi(api.environment, api.database);
    try {
      const admin = await accounts.account({ userType: 'admin' });
      const headers = { cookie: `admin_session=${accounts.token(admin)}`, accept: 'text/html' };
      const there = async () => (await fetch(`${other.url}/admin/queues`, { headers, redirect: 'manual' })).status;
      expect(await there()).toBe(200);
      expect((await fetch(`${api.url}/admin/logout`, { method: 'POST', headers })).status).toBe(204);
      await until('the other instance to refuse it', async () => (await there()) === 302);
    } finally {
      await other.stop();
    }
  });
});
