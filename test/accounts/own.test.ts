import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Account, ROLE_RIGHTS } from '../../src/modules/accounts/index.js';
import { accountsOf, type Accounts, PASSWORD } from '../support/accounts.js';
import { type RunningApi, startApi } from '../support/api.js';

const CREDITS = '/v6/api/account/credits';
const CHANGE = '/v6/api/account/password';
const NEXT = 'Rainy-Day-8';
const REFUSED = [401, 'Invalid Authorization token'];
const INVALID = [401, 'Invalid credentials'];
const CHANGED = [200, 'Password updated successfully'];
const TOO_MANY = [429, 'Too many requests. Please try again later.'];
const OK = [200, undefined];

let api: RunningApi;
let accounts: Accounts;
let root: Account;
let lastIp = 0;
const freshIp = (): string => `10.5.${lastIp >> 8}.${lastIp++ & 255}`;
const login = (name: string, password: string) =>
  accounts.call('POST', '/v1/auth/login', { body: { email_or_username: name, password }, ip: freshIp() });
const use = (token: string) => accounts.row('GET', CREDITS, { token });

beforeAll(async () => {
  api = await startApi({ TRUST_PROXY: '1', USER_RATE_LIMIT: 0, LOGIN_FAILURE_LIMIT: 4, IP_FAILURE_LIMIT: 8 });
  accounts = accountsOf(api);
  root = await accounts.account({ username: 'root', userType: 'super' });
});
afterAll(() => api.stop());

describe('GET /v6/api/account', () => {
  const ME = '/v6/api/account';

  it('says who acts: the account, its zone, permissions and whose client it is', async () => {
    const reseller = await accounts.account({ userType: 'reseller' });
    const account = await accounts.account({ timeZone: 'Asia/Kolkata', parentId: reseller.id });
    const { status, body } = await accounts.call('GET', ME, { token: accounts.token(account) });
    expect([status, body]).toEqual([
      200,
      {
        success: true,
        data: {
          id: account.id,
          username: account.username,
          name: `${account.firstname} ${account.lastname}`.trim(),
          mobile_no: account.mobileNo,
          user_type: 'client',
          role: 'user',
          person: null,
          rights: ROLE_RIGHTS.owner,
          time_zone: 'Asia/Kolkata',
          time_zone_chosen: true,
          number_check: 'warn',
          country: null,
          country_chosen: false,
          strict_numbers: false,
          permissions: account.permissions,
          parent_username: reseller.username,
          is_reseller: false,
        },
      },
    ]);
    const own = await accounts.call('GET', ME, { token: accounts.token(reseller) });
    expect(own.body['data']).toMatchObject({ role: 'admin', is_reseller: true, parent_username: null });
  });

  it('says which person acts for it, and nothing without a token', async () => {
    const account = await accounts.account();
    const person = { username: `${account.username}.p`, password: PASSWORD, firstname: 'Jane', lastname: 'Doe' };
    const made = await accounts.call('POST', `${ME}/users`, { token: accounts.token(account), body: person });
    expect(made.status).toBe(201);
    const { body } = await login(person.username, PASSWORD);
    const seen = await accounts.call('GET', ME, { token: String(body['token']) });
    expect(seen.body['data']).toMatchObject({
      username: account.username,
      person: { id: expect.any(Number), username: person.username, name: 'Jane Doe', role: 'manager' },
    });
    expect(await accounts.row('GET', ME)).toEqual(REFUSED);
  });

  it('knows an API key as its account', async () => {
    const account = await accounts.account();
    const made = await accounts.call('POST', `${ME}/api-keys`, { token: accounts.token(account), body: { name: 'k' } });
    const key = String((made.body['data'] as { key: string }).key);
    const { body } = await accounts.call('GET', ME, { headers: { 'x-api-key': key } });
    expect(body['data']).toMatchObject({ username: account.username, person: null });
  });
});

describe('PUT /v6/api/account/time-zone', () => {
  const ZONE = '/v6/api/account/time-zone';
  const zoneOf = async (token: string) => (await accounts.call('GET', '/v6/api/account', { token })).body['data'];

  it('sets the zone, with an entry in the own log', async () => {
    const account = await accounts.account();
    const token = accounts.token(account);
    expect(await zoneOf(token)).toMatchObject({ time_zone: 'UTC', time_zone_chosen: false });
    const { status, body } = await accounts.call('PUT', ZONE, { token, body: { time_zone: 'Asia/Kolkata' } });
    const answer = { success: true, message: 'Time zone saved successfully', data: { time_zone: 'Asia/Kolkata' } };
    expect([status, body]).toEqual([200, answer]);
    expect(await zoneOf(token)).toMatchObject({ time_zone: 'Asia/Kolkata', time_zone_chosen: true });
    const log = await accounts.call('GET', '/v6/api/account/log?kind=change&limit=1', { token });
    expect(log.body['data']).toMatchObject([{ action: 'account.change', details: { time_zone: 'Asia/Kolkata' } }]);
  });

  it.each(['', undefined, null])('needs one: %j', async (time_zone) => {
    const token = accounts.token(await accounts.account());
    expect(await accounts.row('PUT', ZONE, { token, body: { time_zone } })).toEqual([400, 'time_zone is required']);
  });

  it.each(['Mars/Base', 'UTC+3', 'local', 'x'.repeat(65)])('takes names of IANA alone: %s', async (time_zone) => {
    const token = accounts.token(await accounts.account());
    expect(await accounts.row('PUT', ZONE, { token, body: { time_zone } })).toEqual([400, 'time_zone is invalid']);
    expect(await zoneOf(token)).toMatchObject({ time_zone_chosen: false });
  });
});

describe('PUT /v6/api/account/number-check', () => {
  const CHECK = '/v6/api/account/number-check';
  const checkOf = async (token: string) =>
    ((await accounts.call('GET', '/v6/api/account', { token })).body['data'] as { number_check: string }).number_check;

  it('chooses what becomes of numbers that there are not, with an entry in the own log', async () => {
    const account = await accounts.account();
    const token = accounts.token(account);
    for (const mode of ['warn', 'refuse', 'off', 'warn']) {
      const { status, body } = await accounts.call('PUT', CHECK, { token, body: { number_check: mode } });
      const answer = { success: true, message: 'Number check saved successfully', data: { number_check: mode } };
      expect([status, body, await checkOf(token)]).toEqual([200, answer, mode]);
    }
    const made = await accounts.call('POST', '/v6/api/account/api-keys', { token, body: { name: 'k' } });
    const { key, prefix } = made.body['data'] as { key: string; prefix: string };
    const byKey = { headers: { 'x-api-key': key }, body: { number_check: 'refuse' } };
    expect((await accounts.call('PUT', CHECK, byKey)).status).toBe(200);
    const log = await accounts.call('GET', '/v6/api/account/log?kind=change&limit=1', { token });
    const entry = { action: 'account.change', details: { number_check: 'refuse' } };
    expect(log.body['data']).toMatchObject([{ ...entry, api_key: prefix }]);
  });

  it('takes one of three words, of the account alone', async () => {
    const account = await accounts.account();
    const token = accounts.token(account);
    for (const number_check of [undefined, null, '', 'Warn', 1, ['warn']]) {
      const refused = await accounts.row('PUT', CHECK, { token, body: { number_check } });
      expect(refused).toEqual([400, 'number_check must be one of: refuse, warn, off']);
    }
    const person = { username: `${account.username}.n`, password: PASSWORD, firstname: 'Jane', lastname: 'Doe' };
    await accounts.call('POST', '/v6/api/account/users', { token, body: person });
    const { body } = await login(person.username, PASSWORD);
    const denied = await accounts.row('PUT', CHECK, { token: String(body['token']), body: { number_check: 'off' } });
    expect(denied).toEqual([403, 'Permission denied']);
    expect(await accounts.row('PUT', CHECK, { body: { number_check: 'off' } })).toEqual(REFUSED);
    expect(await checkOf(token)).toBe('warn');
  });
});

describe('the own credits', () => {
  it('list movements of all balances together, newest first, page by page', async () => {
    const account = await accounts.account();
    const path = `/v6/api/admin/accounts/${account.username}/credits`;
    for (let round = 0; round < 9; round++) {
      const balance = ['gsm_credits', 'voice_credits', 'gsm_credits', 'chat_auth_credits'][round % 4];
      const body = { balance, amount: round + 1 };
      expect((await accounts.call('POST', path, { token: accounts.token(root), body })).status).toBe(200);
    }
    const stored: { id: number; balance: string }[] = await api.database.dataSource.query(
      'SELECT id, balance FROM credit_ledger WHERE account_id = ? ORDER BY id DESC',
      [account.id],
    );
    const list = async (query: string): Promise<[unknown[], unknown]> => {
      const { body } = await accounts.call('GET', `${CREDITS}/ledger?${query}`, { token: accounts.token(account) });
      return [(body['data'] as { id: number }[]).map(({ id }) => id), body['total']];
    };
    const ids = stored.map(({ id }) => id);
    expect(ids).toHaveLength(12);
    for (const [page, from] of [0, 5, 10, 15].entries()) {
      expect(await list(`limit=5&page=${page + 1}`)).toEqual([ids.slice(from, from + 5), 12]);
    }
    expect(await list('limit=1000&page=1000000000')).toEqual([[], 12]);
    const gsm = stored.filter(({ balance }) => balance === 'gsm_credits').map(({ id }) => id);
    expect(await list('balance=gsm_credits&limit=2&page=2')).toEqual([gsm.slice(2, 4), gsm.length]);
  });

  it('are the six balances and their ledger, in the own time zone', async () => {
    const account = await accounts.account({ timeZone: 'Pacific/Kiritimati' });
    const other = await accounts.account();
    const grant = { balance: 'gsm_credits', amount: 500, note: 'Invoice 1' };
    for (const target of [account, other]) {
      const path = `/v6/api/admin/accounts/${target.username}/credits`;
      await accounts.call('POST', path, { token: accounts.token(root), body: grant });
    }
    const get = (path: string) => accounts.call('GET', path, { token: accounts.token(account) });
    expect((await get(CREDITS)).body).toEqual({
      success: true,
      data: [
        { balance: 'bulk_chat_credits', available: 0 },
        { balance: 'gsm_credits', available: 500 },
        { balance: 'voice_credits', available: 10 },
        { balance: 'chat_marketing_credits', available: 10 },
        { balance: 'chat_utility_credits', available: 10 },
        { balance: 'chat_auth_credits', available: 0 },
      ],
    });
    expect((await get(`${CREDITS}/ledger`)).body).toMatchObject({ success: true, page: 1, limit: 50, total: 4 });
    const ledger = (await get(`${CREDITS}/ledger?balance=gsm_credits`)).body;
    expect(ledger).toMatchObject({ total: 1 });
    const ahead = new Date(Date.now() + 14 * 3_600_000).toISOString().slice(0, 13).replace('T', ' ');
    expect(ledger['data']).toEqual([
      {
        id: expect.any(Number) as number,
        balance: 'gsm_credits',
        amount: 500,
        available: 500,
        kind: 'grant',
        request_id: null,
        note: 'Invoice 1',
        created_by: { kind: 'staff', id: null, name: null },
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/) as string,
      },
    ]);
    const { created_at } = (ledger['data'] as { created_at: string }[])[0]!;
    expect(Math.abs(Date.parse(`${created_at}Z`) - Date.parse(`${ahead.replace(' ', 'T')}:30:00Z`))).toBeLessThan(
      2 * 3_600_000,
    );
    expect((await get(`${CREDITS}/ledger?limit=3&page=2`)).body['data']).toHaveLength(1);
    expect((await get(`${CREDITS}/ledger?balance=&page=x&limit=0`)).body).toMatchObject({ page: 1, limit: 1 });
    for (const balance of ['gold', 'gsm_credits&balance=gsm_credits']) {
      const { status, body } = await get(`${CREDITS}/ledger?balance=${balance}`);
      expect([status, body.message]).toEqual([
        400,
        'balance must be one of: bulk_chat_credits, gsm_credits, voice_credits, chat_marketing_credits, chat_utility_credits, chat_auth_credits',
      ]);
    }
    for (const path of [CREDITS, `${CREDITS}/ledger`]) expect(await accounts.row('GET', path)).toEqual(REFUSED);
  });
});

describe('the own password', () => {
  const change = (token: string, current: unknown, next: unknown, ip = freshIp()) =>
    accounts.row('PUT', CHANGE, { token, body: { current, new: next }, ip });

  it('is changed by who knows it; every token before is refused, a later one is good', async () => {
    const account = await accounts.account();
    const [first, second] = [accounts.token(account), accounts.token(account)];
    expect(await use(first)).toEqual(OK);
    expect(await change(first, PASSWORD, NEXT)).toEqual(CHANGED);
    for (const token of [first, second]) expect(await use(token)).toEqual(REFUSED);
    expect((await login(account.username, PASSWORD)).status).toBe(401);
    const { body } = await login(account.username, NEXT);
    expect(await use(String(body['token']))).toEqual(OK);
    expect(await change(String(body['token']), NEXT, PASSWORD)).toEqual(CHANGED);
    expect(await use(String(body['token']))).toEqual(REFUSED);
    const audit = await accounts.call('GET', `/v6/api/admin/audit?actor=${account.username}`, {
      token: accounts.token(root),
    });
    expect(audit.body['data']).toMatchObject(
      Array(2).fill({ action: 'account.password', subject: account.username, details: {} }),
    );
    expect(await accounts.row('PUT', CHANGE, { body: { current: PASSWORD, new: NEXT } })).toEqual(REFUSED);
  });

  it('checks the fields before the password', async () => {
    const token = accounts.token(await accounts.account());
    const ip = freshIp();
    const faults: [unknown, unknown, string][] = [
      [undefined, NEXT, 'current is required'],
      [' ', undefined, 'current is required'],
      [{}, NEXT, 'current is required'],
      ['Wrong-Day-7', undefined, 'new is required'],
      ['Wrong-Day-7', ['x'], 'new is required'],
      ['Wrong-Day-7', 'short', 'Password must be at least 8 characters'],
      ['Wrong-Day-7', 'alllowercase-1', 'Password must contain at least one uppercase letter'],
      ['Wrong-Day-7', 'ALLUPPERCASE-1', 'Password must contain at least one lowercase letter'],
      ['Wrong-Day-7', 'No-Digit-Here', 'Password must contain at least one digit'],
      ['Wrong-Day-7', 'NoSpecial1', 'Password must contain at least one special character'],
      ['Wrong-Day-7', `Aa1-${'x'.repeat(69)}`, 'Password must be at most 72 bytes'],
    ];
    for (const [current, next, text] of faults) expect(await change(token, current, next, ip)).toEqual([400, text]);
    expect(await change(token, PASSWORD, `Aa1-${'x'.repeat(68)}`, ip)).toEqual(CHANGED);
  });

  it('limits wrong ones as login does, together with it', async () => {
    const account = await accounts.account();
    const token = accounts.token(account);
    const ip = freshIp();
    for (let i = 0; i < 2; i++) expect(await change(token, 'Wrong-Day-7', NEXT, ip)).toEqual(INVALID);
    const body = { email_or_username: account.username, password: 'Wrong-Day-7' };
    for (let i = 0; i < 2; i++) expect(await accounts.row('POST', '/v1/auth/login', { body, ip })).toEqual(INVALID);
    expect(await change(token, PASSWORD, NEXT, ip)).toEqual(TOO_MANY);
    expect(await accounts.row('POST', '/v1/auth/login', { body, ip })).toEqual(TOO_MANY);
    expect(await use(token)).toEqual(OK);
    expect(await change(token, PASSWORD, NEXT)).toEqual(CHANGED);
    const other = await accounts.account();
    const storm = freshIp();
    const answers = await Promise.all(
      Array.from({ length: 9 }, () => change(accounts.token(other), 'Wrong-Day-7', NEXT, storm)),
    );
    expect(answers.filter(([status]) => status === 401)).toHaveLength(4);
    expect(answers.filter(([status]) => status === 429)).toHaveLength(5);
  });

  it('is won by one of many changes at the same moment', async () => {
    const account = await accounts.account();
    const token = accounts.token(account);
    const passwords = Array.from({ length: 4 }, (_, i) => `Rainy-Day-${i}`);
    const answers = await Promise.all(passwords.map((next) => change(token, PASSWORD, next)));
    const won = answers.findIndex(([status]) => status === 200);
    expect(answers.filter(([status]) => status === 200)).toHaveLength(1);
    for (const [status] of answers) expect([200, 401]).toContain(status);
    expect((await login(account.username, PASSWORD)).status).toBe(401);
    expect((await login(account.username, passwords[won]!)).status).toBe(200);
  });

  it('of an assigned user is his own, not the account’s', async () => {
    const account = await accounts.account();
    const fields = { username: 'clerk', password: PASSWORD, firstname: 'A', lastname: 'B' };
    await accounts.call('POST', '/v6/api/account/users', { token: accounts.token(account), body: fields });
    const token = String((await login('clerk', PASSWORD)).body['token']);
    const owners = accounts.token(account);
    expect(await change(token, 'Wrong-Day-7', NEXT)).toEqual(INVALID);
    expect(await change(token, PASSWORD, NEXT)).toEqual(CHANGED);
    expect(await use(token)).toEqual(REFUSED);
    expect(await use(owners)).toEqual(OK);
    expect((await login('clerk', PASSWORD)).status).toBe(401);
    expect((await login('clerk', NEXT)).status).toBe(200);
    expect((await login(account.username, PASSWORD)).status).toBe(200);
    const audit = await accounts.call('GET', `/v6/api/admin/audit?actor=${account.username}&limit=1`, {
      token: accounts.token(root),
    });
    expect(audit.body['data']).toMatchObject([{ action: 'user.password', subject: 'clerk', assigned_user: 'clerk' }]);
  });

  it('ends what sms_get.php remembers, also for two changes in one second', async () => {
    const account = await accounts.account();
    const send = (password: string) => {
      const query = new URLSearchParams({
        username: account.username,
        password,
        message: 'x',
        number: '919999999999',
      });
      return accounts.row('GET', `/v5/api/sms_get.php?${query.toString()}`, { ip: freshIp() });
    };
    const sent = [503, 'No route available for this channel'];
    const steps = [PASSWORD, NEXT, PASSWORD, NEXT];
    for (const [index, password] of steps.entries()) {
      expect(await send(password)).toEqual(sent);
      const next = steps[index + 1];
      if (next === undefined) break;
      const token = String((await login(account.username, password)).body['token']);
      expect(await change(token, password, next)).toEqual(CHANGED);
      expect(await send(password)).toEqual(INVALID);
      expect(await use(token)).toEqual(REFUSED);
    }
  });
});
