import bcrypt from 'bcrypt';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accountsOf, type Accounts, PASSWORD } from '../support/accounts.js';
import { type RunningApi, startApi } from '../support/api.js';

const LOGIN = '/v6/api/v1/auth/login';
const INVALID = [401, 'Invalid credentials'];
const MISSING = [400, 'Missing email_or_username or password'];
const TOO_MANY = [429, 'Too many requests. Please try again later.'];

let api: RunningApi;
let accounts: Accounts;
let lastIp = 0;
const freshIp = (): string => `10.1.${lastIp >> 8}.${lastIp++ & 255}`;
const login = (name: unknown, password: unknown, ip = freshIp()) =>
  accounts.row('POST', LOGIN, { body: { email_or_username: name, password }, ip });

beforeAll(async () => {
  api = await startApi({ TRUST_PROXY: '1', LOGIN_FAILURE_LIMIT: 10, IP_FAILURE_LIMIT: 30 });
  accounts = accountsOf(api);
});
afterAll(() => api.stop());

describe('login', () => {
  it('answers with the token and the account of reference/accounts#account-fields, on both prefixes', async () => {
    const account = await accounts.account({
      username: 'Jane.Doe',
      email: 'jane@example.com',
      mobileNo: '919876543210',
      firstname: 'Jane',
      lastname: 'Doe ',
    });
    for (const path of [LOGIN, '/v1/auth/login']) {
      const answer = await accounts.call('POST', path, { body: { email_or_username: 'Jane.Doe', password: PASSWORD } });
      expect(answer.status).toBe(200);
      expect(answer.headers.get('set-cookie')).toBeNull();
      const { token, ...rest } = answer.body;
      expect(rest).toEqual({
        success: true,
        message: 'Login successful',
        user: {
          id: account.id,
          username: 'Jane.Doe',
          email: 'jane@example.com',
          mobile_no: '919876543210',
          firstname: 'Jane',
          lastname: 'Doe ',
          name: 'Jane Doe',
          user_type: 'client',
          role: 'user',
          api_base_url: null,
        },
      });
      const [header, payload] = String(token)
        .split('.')
        .slice(0, 2)
        .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>);
      expect(header).toEqual({ alg: 'HS256', typ: 'JWT' });
      expect(payload).toEqual({
        sid: expect.any(Number) as number,
        iat: payload?.['iat'],
        exp: Number(payload?.['iat']) + 604_800,
        iss: 'switchboard',
        jti: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
        sub: String(account.id),
        data: {
          id: account.id,
          name: 'Jane.Doe',
          username: 'Jane.Doe',
          email: 'jane@example.com',
          mobile: '919876543210',
        },
      });
    }
  });

  it('derives roles', async () => {
    const roles = { super: 'super', admin: 'admin', reseller: 'admin', client: 'user' };
    for (const [userType, role] of Object.entries(roles)) {
      const { username } = await accounts.account({ userType });
      const { body } = await accounts.call('POST', LOGIN, {
        body: { email_or_username: username, password: PASSWORD },
      });
      expect((body['user'] as Record<string, unknown>)['role']).toBe(role);
    }
  });

  it.each([
    [undefined, PASSWORD],
    ['', PASSWORD],
    ['  ', PASSWORD],
    [null, PASSWORD],
    [true, PASSWORD],
    [{ a: 1 }, PASSWORD],
    [['bob'], PASSWORD],
    ['bob', undefined],
    ['bob', ' '],
    ['bob', { a: 1 }],
    ['bob', []],
    ['bob', false],
  ])('wants both fields as texts: %j %j', async (name, password) => {
    expect(await login(name, password)).toEqual(MISSING);
  });

  it.each(['[]', '"text"', 'null', '12'])('takes the body %s for one without fields', async (body) => {
    expect(await accounts.row('POST', LOGIN, { body, ip: freshIp() })).toEqual(MISSING);
  });

  it('compares usernames byte for byte and e-mails in any case', async () => {
    await accounts.account({ username: 'bob', email: 'bob@example.com' });
    expect((await login('bob', PASSWORD))[0]).toBe(200);
    expect((await login('BOB@Example.com', PASSWORD))[0]).toBe(200);
    for (const name of ['BOB', 'bob ', ' bob', 'böb', 'bob\0', "' OR 1=1 --", 'x'.repeat(5000)]) {
      expect(await login(name, PASSWORD)).toEqual(INVALID);
    }
    expect(await login('bob', `${PASSWORD} `)).toEqual(INVALID);
    expect(await login('nobody@example.com', PASSWORD)).toEqual(INVALID);
    expect(await login('bob', 12345678)).toEqual(INVALID);
  });

  it('takes hashes of PHP with the prefix $2y$', async () => {
    const hash = (await bcrypt.hash('Php-Passw0rd', 4)).replace(/^\$2b\$/, '$2y$');
    await accounts.account({ username: 'php', passwordHash: hash });
    expect((await login('php', 'Php-Passw0rd'))[0]).toBe(200);
    expect(await login('php', 'Php-Passw0rD')).toEqual(INVALID);
  });

  it('refuses passwords of more bytes than bcrypt reads, whatever their beginning', async () => {
    const longest = `Aa1-${'ü'.repeat(34)}`;
    await accounts.account({ username: 'long', passwordHash: await bcrypt.hash(longest, 4) });
    expect(Buffer.byteLength(longest)).toBe(72);
    expect((await login('long', longest))[0]).toBe(200);
    expect(await login('long', `${longest}x`)).toEqual(INVALID);
    expect(await login('long', `${longest}ü`)).toEqual(INVALID);
  });

  it('checks the password first, inactive before expired', async () => {
    const past = new Date(Date.now() - 1000);
    await accounts.account({ username: 'closed', isActive: false, expiresAt: past });
    await accounts.account({ username: 'late', expiresAt: past });
    await accounts.account({ username: 'intime', expiresAt: new Date(Date.now() + 3_600_000) });
    expect(await login('closed', 'Wrong-Day-7')).toEqual(INVALID);
    expect(await login('closed', PASSWORD)).toEqual([401, 'Account is inactive']);
    expect(await login('late', 'Wrong-Day-7')).toEqual(INVALID);
    expect(await login('late', PASSWORD)).toEqual([401, 'Account expired. Please contact your administrator.']);
    expect((await login('intime', PASSWORD))[0]).toBe(200);
  });

  it('answers 405 to other methods', async () => {
    expect(await accounts.row('GET', LOGIN)).toEqual([405, 'Method not allowed']);
  });
});

describe('limits of failures', () => {
  it('counts ten failures per address and account, by whichever name, and then tells nothing', async () => {
    await accounts.account({ username: 'target', email: 'target@example.com' });
    const ip = freshIp();
    for (let i = 0; i < 10; i++) {
      expect(await login(i % 2 ? 'target' : 'TARGET@example.com', 'Wrong-Day-7', ip)).toEqual(INVALID);
    }
    expect(await login('target', PASSWORD, ip)).toEqual(TOO_MANY);
    const refused = await accounts.call('POST', LOGIN, { body: { email_or_username: 'target', password: 'x' }, ip });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await login('target', PASSWORD))[0]).toBe(200);
    await accounts.account({ username: 'neighbour' });
    expect((await login('neighbour', PASSWORD, ip))[0]).toBe(200);
  });

  it('answers no more guesses that come at the same moment', async () => {
    await accounts.account({ username: 'stormed' });
    const ip = freshIp();
    const answers = await Promise.all(Array.from({ length: 25 }, (_, i) => login('stormed', `Wrong-Day-${i}`, ip)));
    expect(answers.filter(([status]) => status === 401)).toHaveLength(10);
    expect(answers.filter(([status]) => status === 429)).toHaveLength(15);
  });

  it('counts unknown names alike', async () => {
    const ip = freshIp();
    for (let i = 0; i < 10; i++) expect(await login('ghost', 'Wrong-Day-7', ip)).toEqual(INVALID);
    expect(await login('ghost', 'Wrong-Day-7', ip)).toEqual(TOO_MANY);
  });

  it('counts all failures of an address together', async () => {
    await accounts.account({ username: 'innocent' });
    const ip = freshIp();
    for (let i = 0; i < 30; i++) expect(await login(`name${i}`, 'Wrong-Day-7', ip)).toEqual(INVALID);
    expect(await login('innocent', PASSWORD, ip)).toEqual(TOO_MANY);
    expect((await login('innocent', PASSWORD))[0]).toBe(200);
  });
});
