import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Account } from '../../src/modules/accounts/index.js';
import { accountsOf, type Accounts, PASSWORD } from '../support/accounts.js';
import { type RunningApi, startApi } from '../support/api.js';
import { until } from '../support/processes.js';

const PATH = '/v6/api/admin/security-log';
const WRONG = 'Wrong-Day-7';

let api: RunningApi;
let accounts: Accounts;
let root: Account;

beforeAll(async () => {
  api = await startApi({ TRUST_PROXY: '1', USER_RATE_LIMIT: 0, LOGIN_FAILURE_LIMIT: 5 });
  accounts = accountsOf(api);
  root = await accounts.account({ userType: 'super' });
});
afterAll(() => api.stop());

interface Entry {
  event: string;
  username: string;
  ip: string;
  times: number;
}
const list = async (query: Record<string, string>): Promise<{ data: Entry[]; total: number }> => {
  const { body } = await accounts.call('GET', `${PATH}?${new URLSearchParams(query).toString()}`, {
    token: accounts.token(root),
  });
  return body as unknown as { data: Entry[]; total: number };
};
/** Logins of an address by event and name, once so many of them are written. */
const seen = async (ip: string, logins: number): Promise<Record<string, number>> => {
  let counts: Record<string, number> = {};
  await until(`${logins} logins from ${ip}`, async () => {
    const { data } = await list({ ip });
    counts = {};
    for (const { event, username, times } of data) {
      counts[`${event} ${username}`] = (counts[`${event} ${username}`] ?? 0) + times;
    }
    return data.reduce((sum, { times }) => sum + times, 0) >= logins;
  });
  return counts;
};
const login = (name: string, ip: string, password = WRONG) =>
  accounts.call('POST', '/v1/auth/login', { body: { email_or_username: name, password }, ip });

describe('the security log', () => {
  it('holds good and bad logins with name and address, by whichever name', async () => {
    const { username } = await accounts.account({ username: 'logged.one', email: 'logged@example.com' });
    const ip = '10.60.0.1';
    for (const [name, password] of [
      [username, PASSWORD],
      ['LOGGED@example.com', PASSWORD],
      ['logged@example.com', WRONG],
      ['LOGGED.one', WRONG],
    ] as const) {
      await login(name, ip, password);
    }
    const query = new URLSearchParams({ username, password: WRONG, message: 'Hello', number: '919812345678' });
    expect((await accounts.call('GET', `/v5/api/sms_get.php?${query.toString()}`, { ip })).status).toBe(401);
    expect(await seen(ip, 5)).toEqual({
      [`login ${username}`]: 2,
      [`login_failed ${username}`]: 2,
      'login_failed LOGGED.one': 1,
    });
    const { data, total } = await list({ username, ip, limit: '1' });
    expect(total).toBeGreaterThan(1);
    expect(data).toEqual([
      {
        id: expect.any(Number) as number,
        event: 'login_failed',
        username,
        ip,
        times: expect.any(Number) as number,
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/) as string,
      },
    ]);
    expect((await list({ username, ip: '10.60.0.2' })).total).toBe(0);
  });

  it('names the person who logged in, and those who are refused for other reasons', async () => {
    const closed = await accounts.account({ isActive: false });
    await login(closed.username, '10.60.1.1', PASSWORD);
    expect(await seen('10.60.1.1', 1)).toEqual({ [`login_failed ${closed.username}`]: 1 });
    const person = { username: 'logged.person', password: PASSWORD, firstname: 'Ann', lastname: 'Other' };
    const body = { ...person, current_password: PASSWORD };
    await accounts.call('POST', '/v6/api/account/users', { token: accounts.token(root), body });
    await login(person.username, '10.60.1.2', PASSWORD);
    expect(await seen('10.60.1.2', 1)).toEqual({ 'login logged.person': 1 });
  });

  it('keeps no password, neither in its field nor in that of the name', async () => {
    const ip = '10.60.2.1';
    await login('My secret: S3cret!pass', ip, 'An0ther-secret');
    await login('S3cret-Day', ip, 'An0ther-secret'); // might be a username, and would do as a password
    expect(await seen(ip, 2)).toEqual({ 'login_failed ': 2 });
    const rows = JSON.stringify(await api.database.dataSource.query('SELECT * FROM security_log'));
    for (const secret of ['S3cret', 'An0ther', PASSWORD, WRONG]) expect(rows).not.toContain(secret);
  });

  it('grows no further by tries that are refused by a limit', async () => {
    const ip = '10.60.3.1';
    for (let i = 0; i < 20; i++) await login('ghost-name', ip);
    expect(await seen(ip, 5)).toEqual({ 'login_failed ghost-name': 5 });
  });

  it('takes any text as a filter, and addresses in any form', async () => {
    const ip = '2001:db8:0:60::1';
    await login('ghost-name', ip);
    expect(await seen(ip, 1)).toEqual({ 'login_failed ghost-name': 1 });
    expect((await list({ ip: '2001:DB8:0:60:0:0:0:1' })).total).toBe(1);
    for (const text of ['ü', '10.60', 'nowhere']) expect((await list({ ip: text })).total).toBe(0);
  });

  it('is for super and admin only', async () => {
    const roles: Record<string, number> = { super: 200, admin: 200, reseller: 403, client: 403 };
    for (const [userType, expected] of Object.entries(roles)) {
      const token = accounts.token(await accounts.account({ userType }));
      expect([userType, (await accounts.call('GET', PATH, { token })).status]).toEqual([userType, expected]);
    }
    expect((await accounts.call('GET', PATH)).status).toBe(401);
  });

  it('loses its old entries faster than many guess', async () => {
    const source = api.database.dataSource;
    const rows = Array.from(
      { length: 7_000 },
      () => "('login_failed', 'long-ago', '10.60.4.1', 1, '2020-01-01')",
    ).join();
    for (let i = 0; i < 3; i++) {
      await source.query(`INSERT INTO security_log (event, username, ip, times, created_at) VALUES ${rows}`);
    }
    const left = () => source.query<unknown[]>("SELECT id FROM security_log WHERE username = 'long-ago' LIMIT 1");
    // Without the mark of the first, which says that another has done it within the hour.
    const own = { ...api.environment, REDIS_PREFIX: `${api.environment.REDIS_PREFIX}-other` };
    const other = await startApi(own, api.database);
    try {
      await until('all of them to be gone', async () => (await left()).length === 0);
    } finally {
      await other.stop();
    }
  });
});
