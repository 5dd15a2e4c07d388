import bcrypt from 'bcrypt';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Account } from '../../src/modules/accounts/index.js';
import { accountsOf, type Accounts, PASSWORD } from '../support/accounts.js';
import { type RunningApi, startApi } from '../support/api.js';

const TOO_MANY = 'Too many requests. Please try again later.';
const LOGIN_FAILURE_LIMIT = 5;
const NEXT = 'Rainy-Day-8';

let api: RunningApi;
let accounts: Accounts;
let cheapHash: string;

beforeAll(async () => {
  api = await startApi({
    TRUST_PROXY: '1',
    USER_RATE_LIMIT: 0,
    REGISTER_RATE_LIMIT: 3,
    OPEN_MISS_LIMIT: 3,
    LOGIN_FAILURE_LIMIT,
  });
  accounts = accountsOf(api);
  cheapHash = await bcrypt.hash(PASSWORD, 4);
});
afterAll(() => api.stop());

/** One whose password is checked quickly: the tests guess hundreds of times. */
const victim = (): Promise<Account> => accounts.account({ passwordHash: cheapHash });
const login = (name: string, ip: string, password = 'Wrong-Day-7') =>
  accounts.call('POST', '/v1/auth/login', { body: { email_or_username: name, password }, ip });
const smsGet = (username: string, ip: string, password = 'Wrong-Day-7') => {
  const query = new URLSearchParams({ username, password, message: 'Hello', number: '919812345678' });
  return accounts.call('GET', `/v5/api/sms_get.php?${query.toString()}`, { ip });
};
/** How often each status came. */
const tally = async (tries: number, send: (index: number) => Promise<{ status: number }>) => {
  const counts: Record<number, number> = {};
  for (let index = 0; index < tries; index += 20) {
    const answers = await Promise.all(Array.from({ length: Math.min(20, tries - index) }, (_, i) => send(index + i)));
    for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  }
  return counts;
};
const spread = (index: number): string => `10.${20 + (index >> 8)}.${index & 255}.7`;
const hex = (number: number): string => number.toString(16);

describe('guesses from IPv6', () => {
  it('count by /64: 200 of them at one account are refused as those of one address', async () => {
    for (const [block, guess] of [login, smsGet].entries()) {
      const { username } = await victim();
      const counts = await tally(200, (index) => guess(username, `2001:db8:2:${block}::${hex(index + 1)}`));
      expect(counts).toEqual({ 401: LOGIN_FAILURE_LIMIT, 429: 200 - LOGIN_FAILURE_LIMIT });
    }
  });

  it('count by /56 at ten times the figure', async () => {
    const { username } = await victim();
    const other = await victim();
    const counts = await tally(160, (index) => login(username, `2001:db8:3:10${hex(index % 16)}::${hex(index + 1)}`));
    expect(counts).toEqual({ 401: 10 * LOGIN_FAILURE_LIMIT, 429: 160 - 10 * LOGIN_FAILURE_LIMIT });
    expect((await login(username, '2001:db8:3:1ff::1', PASSWORD)).status).toBe(429);
    expect((await login(username, '2001:db8:3:200::1', PASSWORD)).status).toBe(200);
    expect((await login(other.username, '2001:db8:3:100::1', PASSWORD)).status).toBe(200);
  });

  it('count as IPv4 where they are IPv4 in IPv6 clothes', async () => {
    const { username } = await victim();
    const clothes = ['10.9.8.7', '::ffff:10.9.8.7', '::ffff:a09:807', '0:0:0:0:0:ffff:0a09:0807'];
    expect(await tally(40, (index) => login(username, clothes[index % 4] ?? ''))).toEqual({
      401: LOGIN_FAILURE_LIMIT,
      429: 40 - LOGIN_FAILURE_LIMIT,
    });
    expect((await login(username, '::ffff:10.9.8.8', PASSWORD)).status).toBe(200);
  });

  it('count for every other limit by address', async () => {
    const register = (i: number) =>
      accounts.call('POST', '/v1/auth/register', { body: {}, ip: `2001:db8:4:1::${hex(i + 1)}` });
    expect(await tally(6, register)).toEqual({ 400: 3, 429: 3 });
    const report = (i: number) =>
      accounts.call('GET', `/webhook/api/getGSMreport.php?request_id=none${i}`, { ip: `2001:db8:4:2::${hex(i + 1)}` });
    expect(await tally(6, report)).toEqual({ 404: 3, 429: 3 });
    expect(
      (await accounts.call('GET', '/webhook/api/getGSMreport.php?request_id=none', { ip: '2001:db8:4:3::1' })).status,
    ).toBe(404);
  });
});

describe('guesses at one account from everywhere', () => {
  it('are told 100 times an hour: 400 of 500 from as many addresses are refused', async () => {
    for (const guess of [login, smsGet]) {
      const { username } = await victim();
      expect(await tally(500, (index) => guess(username, spread(index)))).toEqual({ 401: 100, 429: 400 });
      const refused = await guess(username, '10.30.0.1', PASSWORD);
      expect([refused.status, refused.body.message]).toEqual([429, TOO_MANY]);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(60);
    }
  });

  it('are refused alike for a name that nobody has', async () => {
    expect(await tally(120, (index) => login('ghost-of-many', spread(index)))).toEqual({ 401: 100, 429: 20 });
  });

  it('keep nobody from an address he has used before, until his password changes', async () => {
    const { username } = await victim();
    const [owner, hotel, office] = ['10.31.0.1', '10.31.0.9', '2001:db8:5:1::1'];
    for (const ip of [owner, hotel, office]) expect((await login(username, ip, PASSWORD)).status).toBe(200);
    await tally(120, (index) => login(username, spread(index)));
    expect((await login(username, '10.31.0.2', PASSWORD)).status).toBe(429);
    expect((await login(username, owner, PASSWORD)).status).toBe(200);
    const { status, body } = await login(username, '2001:db8:5:1::ffff', PASSWORD);
    expect(status).toBe(200);
    expect(await tally(12, () => login(username, owner))).toEqual({
      401: LOGIN_FAILURE_LIMIT,
      429: 12 - LOGIN_FAILURE_LIMIT,
    });
    const changed = await accounts.call('PUT', '/v6/api/account/password', {
      token: String(body['token']),
      body: { current: PASSWORD, new: NEXT },
      ip: office,
    });
    expect(changed.status).toBe(200);
    expect((await login(username, hotel, NEXT)).status).toBe(429);
    expect((await login(username, office, NEXT)).status).toBe(200);
    const rows = await api.database.dataSource.query<unknown[]>('SELECT * FROM login_addresses');
    expect(JSON.stringify(rows)).not.toMatch(/10\.31|2001:db8/);
  });

  it('keep 20 addresses of an account', async () => {
    const { id, username } = await victim();
    for (let i = 0; i < 23; i++) await login(username, `10.32.0.${i}`, PASSWORD);
    const [row] = await api.database.dataSource.query<{ n: string }[]>(
      'SELECT COUNT(*) AS n FROM login_addresses WHERE holder_id = ?',
      [id],
    );
    expect(Number(row?.n)).toBe(20);
  });
});
