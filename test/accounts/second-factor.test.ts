import { TOTP } from 'otpauth';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Account } from '../../src/modules/accounts/index.js';
import { SessionStore } from '../../src/modules/accounts/sessions/sessions.store.js';
import { accountsOf, type Accounts, type Answer, PASSWORD } from '../support/accounts.js';
import { type RunningApi, startApi } from '../support/api.js';

const LOGIN = '/v6/api/v1/auth/login';
const FACTOR = '/v6/api/account/second-factor';
const CONFIRM = '/v6/api/account/confirmation';
const CREDITS = '/v6/api/account/credits';
const STEP_MS = 30_000;
const REQUIRED = [401, 'Second factor required'];
const INVALID = [401, 'Invalid second factor'];
const WRONG = [400, 'Invalid second factor'];
const UNCONFIRMED = [403, 'Confirm that it is you'];
const REFUSED = [401, 'Invalid Authorization token'];
const TOO_MANY = 429;
const OK = [200, undefined];

let api: RunningApi;
let accounts: Accounts;

beforeAll(async () => {
  api = await startApi({ TRUST_PROXY: '1', USER_RATE_LIMIT: 0, CONFIRM_CREDITS: 500 });
  accounts = accountsOf(api);
});
afterAll(() => api.stop());

const sql = <T = unknown>(text: string, values: unknown[] = []) => api.database.dataSource.query<T>(text, values);
const logIn = (username: string, more: object = {}, ip = '203.0.113.7'): Promise<Answer> =>
  accounts.call('POST', LOGIN, { body: { email_or_username: username, password: PASSWORD, ...more }, ip });
const loginRow = async (username: string, more: object = {}): Promise<[number, string | undefined]> => {
  const { status, body } = await logIn(username, more);
  return [status, body.message];
};
const tokenOf = async (username: string, more: object = {}): Promise<string> => {
  const answer = await logIn(username, more);
  expect(answer.status).toBe(200);
  return String(answer.body['token']);
};
const use = (token: string) => accounts.row('GET', CREDITS, { token });
const post = (token: string, path: string, body: object = {}) => accounts.call('POST', path, { token, body });
const row = async (token: string, path: string, body: object = {}): Promise<[number, string | undefined]> => {
  const answer = await post(token, path, body);
  return [answer.status, answer.body.message];
};
/** A code of an app, so many steps from now. */
const codeOf = (uri: string, steps = 0): string =>
  new TOTP({ secret: secretOf(uri) }).generate({ timestamp: Date.now() + steps * STEP_MS });
const secretOf = (uri: string): string => new URL(uri).searchParams.get('secret') ?? '';
/** As if password and factor had been shown so many minutes earlier. */
const age = async (account: Pick<Account, 'id'>, minutes: number): Promise<void> => {
  const change = 'UPDATE login_sessions SET confirmed_at = confirmed_at - INTERVAL ? MINUTE WHERE holder_id = ?';
  await sql(change, [minutes, account.id]);
  api.app.get(SessionStore).forget();
};

interface Enrolled {
  account: Account;
  uri: string;
  token: string;
  codes: string[];
}

/** An account with an app, whose present step is taken. */
async function enrolled(fields: object = {}): Promise<Enrolled> {
  const account = await accounts.account(fields);
  const token = await tokenOf(account.username);
  const { uri } = (await post(token, `${FACTOR}/totp`)).body['data'] as { uri: string };
  const confirmed = await post(token, `${FACTOR}/totp/confirm`, { otp: codeOf(uri) });
  expect(confirmed.status).toBe(200);
  const { recovery_codes: codes } = confirmed.body['data'] as { recovery_codes: string[] };
  return { account, uri, token, codes };
}

describe('an authenticator app', () => {
  it('is enrolled with a code, gives recovery codes once, and ends the other sessions', async () => {
    const account = await accounts.account();
    const [former, other, token] = [
      accounts.token(account),
      await tokenOf(account.username),
      await tokenOf(account.username),
    ];
    expect(await row(former, `${FACTOR}/totp`)).toEqual(UNCONFIRMED);
    expect(await row(token, `${FACTOR}/totp/confirm`, { otp: '123456' })).toEqual([404, 'Second factor not found']);
    const begun = await post(token, `${FACTOR}/totp`);
    const { uri, secret } = begun.body['data'] as { uri: string; secret: string };
    expect([begun.status, secretOf(uri)]).toEqual([201, secret]);
    expect(uri).toMatch(/^otpauth:\/\/totp\/Switchboard:/);
    expect(await row(token, `${FACTOR}/totp/confirm`, { otp: codeOf(uri, 10) })).toEqual(WRONG);
    expect(await row(token, `${FACTOR}/totp/confirm`)).toEqual([400, 'otp is required']);
    expect(await loginRow(account.username)).toEqual([200, 'Login successful']);
    const confirmed = await post(token, `${FACTOR}/totp/confirm`, { otp: codeOf(uri) });
    const { recovery_codes: codes } = confirmed.body['data'] as { recovery_codes: string[] };
    expect(codes).toHaveLength(10);
    for (const code of codes) expect(code).toMatch(/^[a-z2-7]{4}(-[a-z2-7]{4}){3}$/);
    expect(await Promise.all([token, other, former].map(use))).toEqual([OK, REFUSED, REFUSED]);
    const shown = (await accounts.call('GET', FACTOR, { token })).body['data'];
    expect(shown).toMatchObject({
      ...{ is_required: false, is_missing: false, recovery_codes_left: 10 },
      factors: [{ kind: 'totp' }],
    });
    expect(await row(token, `${FACTOR}/totp`)).toEqual([409, 'An authenticator app is set up already']);
    const kept = JSON.stringify([
      await sql('SELECT * FROM login_factors'),
      await sql('SELECT * FROM recovery_codes'),
      await sql('SELECT details FROM audit_log'),
    ]);
    for (const text of [secret, ...codes, ...codes.map((code) => code.replaceAll('-', ''))])
      expect(kept).not.toContain(text);
  });

  it('is asked for by the login, which answers as specified once it is shown', async () => {
    const { account, uri } = await enrolled();
    const asked = await logIn(account.username);
    expect(asked.status).toBe(401);
    expect(asked.body).toMatchObject({ code: 'second_factor_required', methods: ['totp', 'recovery_code'] });
    expect(asked.body).not.toHaveProperty('token');
    expect(asked.headers.get('set-cookie')).toBeNull();
    expect(await loginRow(account.username, { password: 'Wrong-Day-77', otp: codeOf(uri, 1) })).toEqual([
      401,
      'Invalid credentials',
    ]);
    const answer = await logIn(account.username, { otp: codeOf(uri, 1) });
    expect(Object.keys(answer.body).sort()).toEqual(['message', 'success', 'token', 'user']);
    expect(await use(String(answer.body['token']))).toEqual(OK);
  });

  it('takes no code twice, nor an earlier one, however many come at once', async () => {
    const { account, uri } = await enrolled();
    expect(await loginRow(account.username, { otp: codeOf(uri) })).toEqual(INVALID);
    const otp = codeOf(uri, 1);
    const answers = await Promise.all(Array.from({ length: 5 }, () => loginRow(account.username, { otp })));
    expect(answers.filter(([status]) => status === 200)).toHaveLength(1);
    expect(await loginRow(account.username, { otp: codeOf(uri) })).toEqual(INVALID);
  });

  it('is guessed ten times in an hour, however many guesses come at once, over any address', async () => {
    const { account, uri } = await enrolled();
    const guess = (index: number) =>
      logIn(account.username, { otp: String(index).padStart(6, '0') }, `198.51.100.${index}`);
    const statuses: number[] = [];
    for (const group of [0, 1, 2]) {
      const answers = await Promise.all(Array.from({ length: 6 }, (_, index) => guess(1 + group * 6 + index)));
      statuses.push(...answers.map(({ status }) => status));
    }
    expect(statuses.filter((status) => status === 401)).toHaveLength(10);
    expect(statuses.filter((status) => status === TOO_MANY)).toHaveLength(8);
    const right = await logIn(account.username, { otp: codeOf(uri, 1) });
    expect(right.status).toBe(TOO_MANY);
    expect(Number(right.headers.get('retry-after'))).toBeGreaterThan(3_000);
  });

  it('of a person is that person’s alone, and goes with the person', async () => {
    const owner = await accounts.account();
    const token = await tokenOf(owner.username);
    const body = { username: `two.${owner.id}`, password: PASSWORD, firstname: 'A', lastname: 'B', role: 'viewer' };
    const { id } = (await post(token, '/v6/api/account/users', body)).body['data'] as { id: number };
    const theirs = await tokenOf(body.username);
    const { uri } = (await post(theirs, `${FACTOR}/totp`)).body['data'] as { uri: string };
    expect((await post(theirs, `${FACTOR}/totp/confirm`, { otp: codeOf(uri) })).status).toBe(200);
    expect(await loginRow(body.username)).toEqual(REQUIRED);
    expect(await loginRow(owner.username)).toEqual([200, 'Login successful']);
    expect((await accounts.row('DELETE', `/v6/api/account/users/${id}`, { token }))[0]).toBe(200);
    expect(await sql('SELECT 1 FROM login_factors WHERE holder_id = ?', [id])).toEqual([]);
  });

  it('keeps sms_get.php to API keys', async () => {
    const { account, token } = await enrolled();
    const send = (password: string) =>
      accounts.call(
        'GET',
        `/v5/api/sms_get.php?username=${account.username}&password=${encodeURIComponent(password)}&message=a&number=919812345678`,
      );
    const refused = await send(PASSWORD);
    expect([refused.status, refused.body['code']]).toEqual([401, 'second_factor_required']);
    const { key } = (await post(token, '/v6/api/account/api-keys')).body['data'] as { key: string };
    expect((await send(key)).status).not.toBe(401);
  });
});

describe('recovery codes', () => {
  it('are good once each, in any spelling, and end with a new set', async () => {
    const { account, token, codes } = await enrolled();
    const [first = '', second = '', third = ''] = codes;
    expect(await loginRow(account.username, { otp: first.toUpperCase().replaceAll('-', ' ') })).toEqual([
      200,
      'Login successful',
    ]);
    expect(await loginRow(account.username, { otp: first })).toEqual(INVALID);
    const many = await Promise.all(Array.from({ length: 4 }, () => loginRow(account.username, { otp: second })));
    expect(many.filter(([status]) => status === 200)).toHaveLength(1);
    const { body } = await post(token, `${FACTOR}/recovery-codes`);
    const { recovery_codes: renewed } = body['data'] as { recovery_codes: string[] };
    expect(await loginRow(account.username, { otp: third })).toEqual(INVALID);
    expect(await loginRow(account.username, { otp: renewed[0] })).toEqual([200, 'Login successful']);
    const none = await tokenOf((await accounts.account()).username);
    expect(await row(none, `${FACTOR}/recovery-codes`)).toEqual([404, 'Second factor not found']);
  });
});

describe('removing it', () => {
  it('needs a fresh confirmation, and lets the password log in alone again', async () => {
    const { account, uri, token } = await enrolled();
    const { factors } = (await accounts.call('GET', FACTOR, { token })).body['data'] as { factors: { id: number }[] };
    const remove = (id: number | string) => accounts.row('DELETE', `${FACTOR}/${id}`, { token });
    await age(account, 11);
    expect(await remove(factors[0]?.id ?? 0)).toEqual(UNCONFIRMED);
    expect(await row(token, CONFIRM, { otp: codeOf(uri, 1) })).toEqual([200, 'Confirmed successfully']);
    expect(await remove(999)).toEqual([404, 'Second factor not found']);
    expect(await remove(factors[0]?.id ?? 0)).toEqual([200, 'Second factor removed successfully']);
    expect(await loginRow(account.username)).toEqual([200, 'Login successful']);
    expect(await sql('SELECT 1 FROM recovery_codes WHERE holder_id = ?', [account.id])).toEqual([]);
  });

  it('by staff, for who lost it, signs the login out; not of staff by staff below', async () => {
    const root = await accounts.account({ userType: 'super' });
    const { account, token } = await enrolled();
    const boss = await enrolled({ userType: 'admin' });
    const reset = (username: string, by: string, query = '') =>
      accounts.row('DELETE', `/v6/api/admin/accounts/${username}/second-factor${query}`, { token: by });
    const admin = accounts.token(await accounts.account({ userType: 'admin' }));
    expect(await reset(boss.account.username, admin)).toEqual([403, 'Forbidden']);
    expect(await reset(account.username, admin, '?user_id=5')).toEqual([404, 'User not found']);
    expect(await reset(account.username, admin)).toEqual([200, 'Second factors removed successfully']);
    expect(await use(token)).toEqual(REFUSED);
    expect(await loginRow(account.username)).toEqual([200, 'Login successful']);
    expect((await reset(boss.account.username, accounts.token(root)))[0]).toBe(200);
    expect(await reset('nobody.there', admin)).toEqual([404, 'Account not found']);
  });
});

describe('a confirmation', () => {
  const KEYS = '/v6/api/account/api-keys';

  it('is asked of logins with a second factor after ten minutes, before secrets and people', async () => {
    const { account, token } = await enrolled();
    const hook = { url: 'https://shop.example/hook', events: ['gsm.status.update'] };
    const { id } = (await post(token, '/v6/api/webhooks', hook)).body['data'] as { id: number };
    await age(account, 11);
    const person = { username: `c.${account.id}`, password: PASSWORD, firstname: 'A', lastname: 'B' };
    const asked = () =>
      Promise.all([
        row(token, KEYS),
        row(token, '/v6/api/account/users', person),
        row(token, '/v6/api/webhooks', hook),
        row(token, `/v6/api/webhooks/${id}/rotate-secret`),
        row(token, `${FACTOR}/recovery-codes`),
        row(token, `${FACTOR}/passkeys/options`),
        row(token, `${FACTOR}/passkeys`),
        row(token, `${FACTOR}/totp`),
        row(token, `${FACTOR}/totp/confirm`, { otp: '1' }),
        accounts.row('PATCH', '/v6/api/account/users/5', { token, body: {} }),
        accounts.row('DELETE', `${FACTOR}/5`, { token }),
      ]);
    for (const answer of await asked()) expect(answer).toEqual(UNCONFIRMED);
    expect(await use(token)).toEqual(OK);
    expect(await row(token, CONFIRM, { password: 'Wrong-Day-77' })).toEqual([401, 'Invalid credentials']);
    expect(await row(token, CONFIRM, { otp: '000000' })).toEqual(WRONG);
    expect(await row(token, CONFIRM, {})).toEqual(WRONG);
    expect(await row(token, CONFIRM, { otp: {} })).toEqual([400, 'otp is invalid']);
    expect(await row(token, CONFIRM, { password: PASSWORD })).toEqual([200, 'Confirmed successfully']);
    expect((await post(token, KEYS)).status).toBe(201);
  });

  it('is not asked of logins without one, of keys, and counts for its own session alone', async () => {
    const account = await accounts.account();
    const token = await tokenOf(account.username);
    await age(account, 60);
    expect((await post(token, KEYS)).status).toBe(201);
    expect(await row(accounts.token(account), CONFIRM, { password: PASSWORD })).toEqual(UNCONFIRMED);
    const two = await enrolled();
    const second = await tokenOf(two.account.username, { otp: two.codes[0] });
    await age(two.account, 11);
    expect(await row(second, CONFIRM, { password: PASSWORD })).toEqual([200, 'Confirmed successfully']);
    expect([(await post(second, KEYS)).status, (await row(two.token, KEYS))[1]]).toEqual([201, UNCONFIRMED[1]]);
    const options = await post(second, `${CONFIRM}/options`);
    expect([options.status, options.body['data']]).toEqual([200, { options: null }]);
  });

  it('is asked before many credits, not before few', async () => {
    const staff = await enrolled({ userType: 'super' });
    const client = await accounts.account();
    const grant = (amount: number) =>
      row(staff.token, `/v6/api/admin/accounts/${client.username}/credits`, { balance: 'gsm_credits', amount });
    expect((await grant(501))[0]).toBe(200);
    await age(staff.account, 11);
    expect((await grant(500))[0]).toBe(200);
    expect(await grant(501)).toEqual(UNCONFIRMED);
    expect(await grant(-501)).toEqual(UNCONFIRMED);
    expect(
      await accounts.row('DELETE', `/v6/api/admin/accounts/${client.username}/second-factor`, { token: staff.token }),
    ).toEqual(UNCONFIRMED);
  });
});

describe('a login from a new network', () => {
  it('is told by an event, a login from a known one or a first one is not', async () => {
    const account = await accounts.account();
    const key = accounts.token(account);
    const hook = { url: 'https://shop.example/hook', events: ['account.security'] };
    expect((await post(key, '/v6/api/webhooks', hook)).status).toBe(201);
    const from = (ip: string) => logIn(account.username, {}, ip);
    const told = async (): Promise<string[]> => {
      const rows = await sql<{ body: string }[]>('SELECT body FROM webhook_events WHERE account_id = ? ORDER BY id', [
        account.id,
      ]);
      return rows.flatMap(({ body }) => {
        const { type, address } = JSON.parse(body) as { type: string; address?: string };
        return type === 'login.new_network' ? [String(address)] : [];
      });
    };
    for (const ip of ['203.0.113.7', '203.0.113.99', '2001:db8:1::1', '2001:db8:1:5::1']) await from(ip);
    expect(await told()).toEqual(['2001:db8:1::1']);
    await sql('UPDATE login_sessions SET id = id - ? WHERE holder_id = ?', [31 * 86_400_000 * 4096, account.id]);
    await from('203.0.113.8');
    expect(await told()).toEqual(['2001:db8:1::1']);
    await from('198.51.100.1');
    expect(await told()).toEqual(['2001:db8:1::1', '198.51.100.1']);
  });
});
