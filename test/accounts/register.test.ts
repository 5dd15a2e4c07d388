import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accountsOf, type Accounts, unhurried } from '../support/accounts.js';
import { type RunningApi, startApi } from '../support/api.js';

const REGISTER = '/v6/api/v1/auth/register';
const PASSWORD = 'Sunny-Day-7';

let api: RunningApi;
let accounts: Accounts;
let count = 0;

/** A form that would be accepted. */
const form = (fields: Record<string, unknown> = {}): Record<string, unknown> => {
  count += 1;
  return {
    firstname: 'Jane',
    lastname: 'Doe',
    email: `jane${count}@example.com`,
    username: `jane${count}`,
    password: PASSWORD,
    password_confirmation: PASSWORD,
    ...fields,
  };
};
const register = (fields: Record<string, unknown> = {}) => accounts.row('POST', REGISTER, { body: form(fields) });
const rows = async <T>(sql: string, parameters: unknown[] = []): Promise<T[]> =>
  api.database.dataSource.query<T[]>(sql, parameters);

beforeAll(async () => {
  api = await startApi({ REGISTER_RATE_LIMIT: 0, TRUST_PROXY: '1' });
  accounts = accountsOf(api);
});
afterAll(() => api.stop());

describe('register', () => {
  it('makes the account with team, permissions and credits, and returns no token', async () => {
    const body = form({ email: ' Jane.Doe@Example.COM ', username: ' Jane.Doe ', mobile_no: '+91 98765-43210' });
    const answer = await accounts.call('POST', REGISTER, { body: { ...body, country: ' India', user_type: 'super' } });
    expect(answer.status).toBe(201);
    const [account] = await rows<Record<string, unknown>>('SELECT * FROM accounts WHERE username = ?', ['Jane.Doe']);
    expect(answer.body).toEqual({
      success: true,
      message: 'Account registered successfully',
      user: {
        id: account?.['id'],
        username: 'Jane.Doe',
        email: 'jane.doe@example.com',
        mobile_no: '919876543210',
        firstname: 'Jane',
        lastname: 'Doe',
        name: 'Jane Doe',
        user_type: 'client',
        role: 'user',
        api_base_url: null,
      },
    });
    expect(answer.headers.get('switchboard-warnings')).toBe('[{"code":"unknown_field","field":"user_type"}]');
    expect(account).toMatchObject({
      country: ' India',
      is_active: 1,
      expires_at: null,
      require_token: 0,
      public_lookup: 1,
    });
    expect(account?.['password_hash']).toMatch(/^\$2[ab]\$10\$/);
    expect(JSON.parse(String(account?.['permissions']))).toEqual({
      report_access: true,
      broadcast_via_master_reseller: true,
      read_status_broadcast: true,
      voice_credits_access: true,
      client_management: true,
      invoice: true,
      support: true,
      reseller_settings: true,
      sms_credits: false,
      chat_credits: false,
      rcs: false,
      gsm: false,
      telegram: false,
      instagram: false,
    });
    const id = account?.['id'];
    expect(await rows('SELECT name, is_default FROM teams WHERE account_id = ?', [id])).toEqual([
      { name: 'Default', is_default: 1 },
    ]);
    expect(
      await rows('SELECT balance, available FROM credit_balances WHERE account_id = ? ORDER BY balance', [id]),
    ).toEqual([
      { balance: 'bulk_chat_credits', available: 0 },
      { balance: 'chat_auth_credits', available: 0 },
      { balance: 'chat_marketing_credits', available: 10 },
      { balance: 'chat_utility_credits', available: 10 },
      { balance: 'gsm_credits', available: 0 },
      { balance: 'voice_credits', available: 10 },
    ]);
    expect(
      await rows('SELECT balance, amount, available, kind FROM credit_ledger WHERE account_id = ? ORDER BY balance', [
        id,
      ]),
    ).toEqual([
      { balance: 'chat_marketing_credits', amount: 10, available: 10, kind: 'grant' },
      { balance: 'chat_utility_credits', amount: 10, available: 10, kind: 'grant' },
      { balance: 'voice_credits', amount: 10, available: 10, kind: 'grant' },
    ]);
    const login = { email_or_username: 'JANE.DOE@example.com', password: PASSWORD };
    expect((await accounts.call('POST', '/v1/auth/login', { body: login })).status).toBe(200);
  });

  it('is served at the base URL too', async () => {
    expect((await accounts.call('POST', '/v1/auth/register', { body: form() })).status).toBe(201);
  });

  it('names the missing fields in order, before the password rules', async () => {
    const order = ['firstname', 'lastname', 'email', 'username', 'password', 'password_confirmation'];
    const body: Record<string, unknown> = {};
    for (const field of order) {
      expect(await accounts.row('POST', REGISTER, { body })).toEqual([400, `${field} is required`]);
      body[field] = 'x';
    }
    expect(await accounts.row('POST', REGISTER, { body })).toEqual([400, 'Password must be at least 8 characters']);
    for (const odd of [null, '', '  ', true, {}, [], ['x']]) {
      for (const field of order) expect(await register({ [field]: odd })).toEqual([400, `${field} is required`]);
    }
  });

  it.each([
    ['aB1-567', 'Password must be at least 8 characters'],
    ['ÄÖüß1-x', 'Password must be at least 8 characters'],
    ['12345678', 'Password must contain at least one uppercase letter'],
    ['ABCDEFGH', 'Password must contain at least one lowercase letter'],
    ['ABCDefgh', 'Password must contain at least one digit'],
    ['ABCDefg1', 'Password must contain at least one special character'],
    [`Aa1-${'x'.repeat(69)}`, 'Password must be at most 72 bytes'],
    [`Aa1-${'ü'.repeat(35)}`, 'Password must be at most 72 bytes'],
    ['Aa1-5678', 'Passwords do not match'],
  ])('checks the password %s', async (password, text) => {
    const fault = text === 'Passwords do not match' ? `${password} ` : password;
    expect(await register({ password, password_confirmation: fault, email: 'bad', username: '!' })).toEqual([
      400,
      text,
    ]);
  });

  it('takes passwords at the limits', async () => {
    for (const password of ['Aa1-5678', `Aa1-${'x'.repeat(68)}`]) {
      expect((await register({ password, password_confirmation: password }))[0]).toBe(201);
    }
  });

  it.each(['plain', 'a@b', 'a b@c.de', 'a@b..de', '@c.de', 'a@-c.de', `${'a'.repeat(65)}@c.de`, 'a@c.de\0', 12])(
    'refuses the e-mail %j',
    async (email) => {
      expect(await register({ email })).toEqual([400, 'email is invalid']);
    },
  );

  it.each(['ab', 'a'.repeat(65), 'jane doe', 'jane@doe', 'jäne', 'jane/doe', "jane'--"])(
    'refuses the username %j',
    async (username) => {
      expect(await register({ username })).toEqual([400, 'username is invalid']);
    },
  );

  it('takes numbers as their texts', async () => {
    expect((await register({ username: 1234567, mobile_no: 4915112345678, firstname: 7 }))[0]).toBe(201);
  });

  it('refuses mobile numbers that are none', async () => {
    for (const mobile_no of [true, {}, [], 'none', '1'.repeat(31)]) {
      expect(await register({ mobile_no })).toEqual([400, 'mobile_no is invalid']);
    }
  });

  it('refuses names and countries that are too long, and odd countries', async () => {
    const long = '€'.repeat(101);
    expect(await register({ firstname: long })).toEqual([400, 'firstname must be at most 100 characters']);
    expect(await register({ lastname: long })).toEqual([400, 'lastname must be at most 100 characters']);
    expect(await register({ country: long })).toEqual([400, 'country must be at most 100 characters']);
    expect(await register({ country: {} })).toEqual([400, 'country is invalid']);
    expect((await register({ firstname: '😀'.repeat(100) }))[0]).toBe(201);
  });

  it('reports what is taken in the order of the table, whatever the case', async () => {
    const taken = form({ email: 'first@example.com', username: 'First', mobile_no: '4915100000001' });
    expect((await accounts.call('POST', REGISTER, { body: taken })).status).toBe(201);
    const again = { email: 'FIRST@example.com', username: 'fIRST', mobile_no: '+49 151 00000001' };
    expect(await register(again)).toEqual([409, 'Email already registered']);
    expect(await register({ ...again, username: '!' })).toEqual([409, 'Email already registered']);
    expect(await register({ ...again, email: 'other@example.com' })).toEqual([409, 'Username already taken']);
    expect(await register({ mobile_no: '4915100000001' })).toEqual([409, 'Mobile number already registered']);
    expect(await register({ ...again, email: 'other@example.com', username: ' FIRST ' })).toEqual([
      409,
      'Username already taken',
    ]);
  });

  it.each([
    ['username', 'Username already taken', (i: number) => ({ username: i % 2 ? 'RACER' : 'racer' })],
    ['email', 'Email already registered', () => ({ email: 'racer@example.com' })],
    ['mobile_no', 'Mobile number already registered', () => ({ mobile_no: '4915100000002' })],
    [
      'all',
      'Email already registered',
      () => ({ email: 'r@example.com', username: 'r.r', mobile_no: '4915100000003' }),
    ],
  ])('lets one of 20 at the same moment have the %s', async (_, text, fields) => {
    const [{ before } = { before: 0 }] = await rows<{ before: number }>('SELECT COUNT(*) AS `before` FROM accounts');
    const answers = await Promise.all(Array.from({ length: 20 }, (_item, i) => unhurried(() => register(fields(i)))));
    expect(answers.filter(([status]) => status === 201)).toHaveLength(1);
    const refused = answers.filter(([status]) => status !== 201);
    expect(refused).toEqual(refused.map(() => [409, text]));
    for (const [table, each] of [
      ['accounts', 1],
      ['teams', 1],
      ['credit_balances', 6],
      ['credit_ledger', 3],
    ] as const) {
      const [found] = await rows<{ n: number }>(`SELECT COUNT(*) AS n FROM ${table}`);
      expect([table, found?.n]).toEqual([table, (before + 1) * each]);
    }
  });
});

describe('limits of registration', () => {
  it('counts per address and minute', async () => {
    const limited = await startApi({ REGISTER_RATE_LIMIT: 2, TRUST_PROXY: '1' });
    const there = accountsOf(limited);
    try {
      const post = (ip: string) => there.row('POST', REGISTER, { body: {}, ip });
      expect(await post('10.9.0.1')).toEqual([400, 'firstname is required']);
      expect(await post('10.9.0.1')).toEqual([400, 'firstname is required']);
      expect(await post('10.9.0.1')).toEqual([429, 'Too many requests. Please try again later.']);
      expect(await post('10.9.0.2')).toEqual([400, 'firstname is required']);
    } finally {
      await limited.stop();
    }
  });

  it('can be closed', async () => {
    const closed = await startApi({ REGISTRATION: 'off' });
    try {
      const there = accountsOf(closed);
      expect(await there.row('POST', REGISTER, { body: form() })).toEqual([403, 'Registration is closed']);
    } finally {
      await closed.stop();
    }
  });
});
