import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Account } from '../../src/modules/accounts/index.js';
import type { Environment } from '../../src/platform/config/index.js';
import { accountsOf, type Accounts, type Answer, PASSWORD } from '../support/accounts.js';
import { type RunningApi, startApi } from '../support/api.js';
import { until } from '../support/processes.js';

const KEYS = '/v6/api/account/api-keys';
const CREDITS = '/v6/api/account/credits';
const BROADCAST = '/webhook/api/addbroadcastgsm.php';
const REFUSED = [401, 'Invalid Authorization token'];
const DENIED = [403, 'Permission denied'];
const TOO_MANY = [429, 'Too many requests. Please try again later.'];
const MISS_LIMIT = 8;

let api: RunningApi;
let accounts: Accounts;
let owner: Account;
let key: string;
const further: RunningApi[] = [];
async function another(overrides: Partial<Environment> = {}): Promise<RunningApi> {
  const instance = await startApi({ ...api.environment, ...overrides }, api.database);
  further.push(instance);
  return instance;
}
let lastIp = 0;
const freshIp = (): string => `10.3.${lastIp >> 8}.${lastIp++ & 255}`;

const create = (actor: Account, body: unknown = {}): Promise<Answer> =>
  accounts.call('POST', KEYS, { token: accounts.token(actor), body });
const created = async (actor: Account, body: unknown = {}): Promise<{ id: number; key: string }> =>
  (await create(actor, body)).body['data'] as { id: number; key: string };
const withKey = (value: string, path = CREDITS, ip = freshIp(), method = 'GET', body?: unknown) =>
  accounts.row(method, path, { headers: { 'x-api-key': value }, ip, ...(body === undefined ? {} : { body }) });
const OK = [200, undefined];

beforeAll(async () => {
  api = await startApi({ TRUST_PROXY: '1', IP_FAILURE_LIMIT: MISS_LIMIT, LOGIN_FAILURE_LIMIT: 3 });
  accounts = accountsOf(api);
  owner = await accounts.account({ username: 'owner', email: 'owner@example.com', timeZone: 'Asia/Kolkata' });
  ({ key } = await created(owner));
});
// Passport knows one strategy a process, that of the latest instance: further instances stop when all is done.
afterAll(async () => {
  for (const instance of further) await instance.stop();
  await api.stop();
});

describe('API keys', () => {
  it('are shown once, kept as a digest, listed without themselves, and audited', async () => {
    const account = await accounts.account();
    const answer = await create(account, { name: 'Shop', allowed_ips: ['10.0.0.7/8', '2001:DB8::1'], surprise: 1 });
    expect(answer.status).toBe(201);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const data = answer.body['data'] as Record<string, string>;
    expect(answer.body).toEqual({
      success: true,
      message: 'API key created successfully',
      warnings: [expect.objectContaining({ code: 'unknown_field', field: 'surprise' })],
      data: {
        id: expect.any(Number) as number,
        key: expect.stringMatching(/^swb_live_[0-9A-Za-z]{49}$/) as string,
        name: 'Shop',
        prefix: data['key']!.slice(0, 16),
        mode: 'live',
        scopes: null,
        allowed_ips: ['10.0.0.0/8', '2001:db8::1'],
        max_per_day: null,
        requests_today: null,
        expires_at: null,
        last_used_at: null,
        created_by: { kind: 'account', id: account.id, name: account.username },
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/) as string,
      },
    });
    const second = await created(account);
    const list = await accounts.call('GET', KEYS, { token: accounts.token(account) });
    expect(list.body).toMatchObject({ success: true, page: 1, limit: 50, total: 2 });
    const { key: shown, ...rest } = data;
    expect((list.body['data'] as { id: number }[]).map(({ id }) => id)).toEqual([second.id, data['id']]);
    expect((list.body['data'] as object[])[1]).toEqual(rest);
    expect(
      (await accounts.call('GET', `${KEYS}?limit=1&page=2`, { token: accounts.token(account) })).body['data'],
    ).toEqual([rest]);
    const stored = await api.database.dataSource.query('SELECT * FROM api_keys, audit_log');
    expect(JSON.stringify(stored)).not.toContain(shown);
    const [audit] = await api.database.dataSource.query<{ actor: string; details: string }[]>(
      "SELECT actor, details FROM audit_log WHERE action = 'api_key.create' ORDER BY id DESC LIMIT 1",
    );
    expect(audit?.actor).toBe(account.username);
    expect(JSON.parse(audit?.details ?? '')).toMatchObject({ id: second.id, allowed_ips: [] });
  });

  it('check their fields', async () => {
    const account = await accounts.account();
    const texts = 'allowed_ips must be a list of texts';
    const faults: [unknown, string][] = [
      [{ name: {} }, 'name is invalid'],
      [{ name: 'x'.repeat(101) }, 'name is invalid'],
      [{ scopes: 'read' }, 'scopes must be a list of texts'],
      ...[['send'], [], ['read', 'account'], ['read', 'self']].map((scopes): [unknown, string] => [
        { scopes },
        'scopes must be one of: send:sms, send:chat, send:voice, read, manage, webhooks',
      ]),
      ...[0, -1, 1.5, '5', 1_000_001].map((max): [unknown, string] => [
        { max_per_day: max },
        'max_per_day must be a whole number from 1 to 1000000',
      ]),
      ...['soon', '2020-01-01', '2020-01-01T00:00:00Z'].map((text): [unknown, string] => [
        { expires_at: text },
        'expires_at is invalid',
      ]),
      [{ allowed_ips: '10.0.0.1' }, texts],
      [{ allowed_ips: { a: 1 } }, texts],
      [{ allowed_ips: ['10.0.0.1', 7] }, texts],
      [{ allowed_ips: ['10.0.0.1', '10.0.0'] }, 'allowed_ips[1] is not an IP address or range'],
      [{ allowed_ips: [''] }, 'allowed_ips[0] is not an IP address or range'],
      [{ allowed_ips: Array(101).fill('10.0.0.1') }, 'allowed_ips must have at most 100 entries'],
    ];
    for (const [body, text] of faults) {
      const answer = await create(account, body);
      expect([answer.status, answer.body.message]).toEqual([400, text]);
    }
    for (const body of [
      { name: 'x'.repeat(100), allowed_ips: Array(100).fill('10.0.0.1') as string[] },
      { name: null, allowed_ips: null },
      { name: '', allowed_ips: [] },
      { scopes: ['read', 'send:sms', 'read'], expires_at: '', max_per_day: null },
      [],
    ]) {
      expect((await create(account, body)).status).toBe(201);
    }
  });

  it('are at most 100 an account, also when they come at the same moment', async () => {
    const account = await accounts.account();
    const rows = Array.from({ length: 97 }, (_, i) => `(${account.id}, 'sk_', 'filler${i}', '[]', UTC_TIMESTAMP())`);
    await api.database.dataSource.query(
      `INSERT INTO api_keys (account_id, prefix, key_digest, allowed_ips, created_at) VALUES ${rows.join(', ')}`,
    );
    const answers = await Promise.all(Array.from({ length: 10 }, () => create(account)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(3);
    const refused = answers.find(({ status }) => status !== 201);
    expect([refused?.status, refused?.body.message]).toEqual([409, 'At most 100 API keys are allowed']);
  });

  it('are revoked at once here, and within seconds on another instance', async () => {
    const other = await another();
    const account = await accounts.account();
    const { id, key: own } = await created(account);
    const there = async (): Promise<number> =>
      (await fetch(other.url + CREDITS, { headers: { 'x-api-key': own, 'x-forwarded-for': freshIp() } })).status;
    expect(await withKey(own)).toEqual(OK);
    expect(await there()).toBe(200);
    const revoke = (who: Account, which: number | string) =>
      accounts.row('DELETE', `${KEYS}/${which}`, { token: accounts.token(who) });
    const unknown = [404, 'API key not found'];
    for (const which of [0, -1, 'x', '1e3', '99999999999999999999', id + 999, '%00']) {
      expect(await revoke(account, which)).toEqual(unknown);
    }
    expect(await revoke(owner, id)).toEqual(unknown);
    expect(await revoke(account, id)).toEqual([200, 'API key revoked successfully']);
    expect(await revoke(account, id)).toEqual(unknown);
    expect(await withKey(own)).toEqual(REFUSED);
    await until('the key to be refused elsewhere', async () => (await there()) === 401, 5_000);
    expect((await accounts.call('GET', KEYS, { token: accounts.token(account) })).body).toMatchObject({ total: 0 });
  });

  it('note when they were used, a minute at a time', async () => {
    const account = await accounts.account();
    const { id, key: own } = await created(account);
    const used = async (): Promise<Date | null> =>
      (
        await api.database.dataSource.query<{ last_used_at: Date | null }[]>(
          'SELECT last_used_at FROM api_keys WHERE id = ?',
          [id],
        )
      )[0]!.last_used_at;
    await accounts.row('GET', CREDITS, { token: accounts.token(account) });
    expect(await used()).toBeNull();
    expect(await withKey(own)).toEqual(OK);
    await until('last_used_at', async () => (await used()) !== null, 5_000);
    const first = await used();
    expect(await withKey(own)).toEqual(OK);
    await sleep(100);
    expect(await used()).toEqual(first);
  });
});

describe('an API key stands where a token in the header would', () => {
  it('on the routes of owners, the legacy and the v5 routes, chat and open reports', async () => {
    expect(await withKey(key)).toEqual(OK);
    expect(await withKey(` ${key} `)).toEqual(OK);
    const body = { broadcast_name: 'x', brodcast_service: 'y', contacts: ['919999999999'], message: 'z' };
    expect(await withKey(key, BROADCAST, freshIp(), 'POST', body)).toEqual([
      503,
      'No route available for this channel',
    ]);
    expect(await withKey(key, '/v5/api/session.php', freshIp(), 'POST', {})).not.toEqual(REFUSED);
    expect((await withKey('bad', '/v5/api/session.php', freshIp(), 'POST', {}))[0]).toBe(401);
    const chat = '/v6/api/chat/24/owner/messages';
    expect((await withKey(key, chat, freshIp(), 'POST', {}))[1]).toBe('No chat account found for this username');
    expect(await withKey('bad', chat, freshIp(), 'POST', {})).toEqual([400, 'Invalid Authorization token']);
    expect(await withKey(key, chat.replace('owner', 'other'), freshIp(), 'POST', {})).toEqual([
      401,
      'Route username does not match authenticated user',
    ]);
  });

  it('but not on admin, api-keys and login routes', async () => {
    const root = await accounts.account({ userType: 'super' });
    const { key: own } = await created(root, { current_password: PASSWORD });
    expect(await withKey(own)).toEqual(OK);
    expect(await withKey(own, '/v6/api/admin/accounts')).toEqual(REFUSED);
    expect(await withKey(own, KEYS)).toEqual(REFUSED);
    expect(await withKey(own, KEYS, freshIp(), 'POST', {})).toEqual(REFUSED);
    expect(await withKey(own, `${KEYS}/1`, freshIp(), 'DELETE')).toEqual(REFUSED);
    expect(await withKey(own, '/v6/api/v1/auth/login', freshIp(), 'POST', {})).toEqual([
      400,
      'Missing email_or_username or password',
    ]);
  });

  it('beside a token the token counts, and both headers win over the cookie', async () => {
    const other = await accounts.account();
    const name = async (headers: Record<string, string>): Promise<unknown> => {
      const path = `/v6/api/chat/24/${other.username}/messages`;
      return accounts.row('POST', path, { headers, body: {}, ip: freshIp() });
    };
    const mine = [404, 'No chat account found for this username'];
    const bad = [400, 'Invalid Authorization token'];
    const cookie = `auth_token=${accounts.token(other)}`;
    expect(await name({ authorization: `Bearer ${accounts.token(other)}`, 'x-api-key': key })).toEqual(mine);
    expect(await name({ authorization: `Bearer ${accounts.token(other)}`, 'x-api-key': 'bad' })).toEqual(mine);
    expect(await name({ authorization: 'Bearer bad', 'x-api-key': key })).toEqual(bad);
    expect(await name({ cookie })).toEqual(mine);
    expect(await name({ cookie, 'x-api-key': 'bad' })).toEqual(bad);
    expect(await name({ cookie, 'x-api-key': ' ' })).toEqual(mine);
    expect(await name({ cookie, 'x-api-key': key })).toEqual([401, 'Route username does not match authenticated user']);
  });

  it('for an account that demands its token, too', async () => {
    const careful = await accounts.account();
    const { key: own } = await created(careful);
    await api.database.dataSource.query('UPDATE accounts SET require_token = 1 WHERE id = ?', [careful.id]);
    await sleep(3_100); // what the instance remembers of the account
    const body = { username: careful.username };
    expect(await accounts.row('POST', BROADCAST, { body, ip: freshIp() })).toEqual(REFUSED);
    expect(await withKey(key, BROADCAST, freshIp(), 'POST', body)).toEqual(REFUSED);
    expect((await withKey(own, BROADCAST, freshIp(), 'POST', body))[0]).toBe(400);
    const templates = `/webhook/api/templates.php?username=${careful.username}`;
    await api.database.dataSource.query(
      `INSERT INTO templates (account_id, name, category, language_id, status, header_area_type, header_media_type,
         header_text, body, body_examples, footer, quick_replies, created_at, updated_at)
       VALUES (?, 't', 1, 1, 3, 'none', '', '', '', '[]', '', '[]', UTC_TIMESTAMP(), UTC_TIMESTAMP())`,
      [careful.id],
    );
    expect(await accounts.row('GET', templates, { ip: freshIp() })).toEqual([
      404,
      'Template not found for this username',
    ]);
    expect((await withKey(key, templates))[0]).toBe(404);
    expect((await withKey(own, templates))[0]).toBe(200);
  });

  it('while the account is open', async () => {
    const account = await accounts.account();
    const { key: own } = await created(account);
    const root = await accounts.account({ userType: 'super' });
    const path = `/v6/api/admin/accounts/${account.username}`;
    await accounts.row('PATCH', path, { token: accounts.token(root), body: { is_active: false } });
    expect(await withKey(own)).toEqual(REFUSED);
    const send = `/v5/api/sms_get.php?username=${account.username}&password=${own}&message=x&number=919999999999`;
    expect(await accounts.row('GET', send, { ip: freshIp() })).toEqual([401, 'Account is inactive']);
  });

  it('only from the addresses of its list', async () => {
    const { key: own } = await created(owner, { allowed_ips: ['192.0.2.7', '198.51.100.0/24', '2001:db8::/32'] });
    for (const ip of ['192.0.2.7', '198.51.100.200', '2001:db8:1::1', '::ffff:192.0.2.7']) {
      expect([ip, await withKey(own, CREDITS, ip)]).toEqual([ip, OK]);
    }
    for (const ip of ['192.0.2.8', '198.51.101.1', '2001:db9::1']) {
      expect([ip, await withKey(own, CREDITS, ip)]).toEqual([ip, REFUSED]);
    }
  });
});

describe('limits', () => {
  it('count bad keys per address, parallel ones too, and never hinder a good one', async () => {
    const ip = freshIp();
    const answers = await Promise.all(Array.from({ length: 12 }, (_, i) => withKey(`sk_bad${i}`, CREDITS, ip)));
    expect(answers.filter(([status]) => status === 401)).toHaveLength(MISS_LIMIT);
    expect(answers.filter(([status]) => status === 429)).toHaveLength(12 - MISS_LIMIT);
    expect(await withKey(`sk_${'x'.repeat(43)}`, CREDITS, ip)).toEqual(TOO_MANY);
    expect(await withKey(key, CREDITS, ip)).toEqual(OK);
    expect(await withKey('bad')).toEqual(REFUSED);
  });

  it('are those of the account, by whichever key or token', async () => {
    const there = accountsOf(
      await another({ USER_RATE_LIMIT: 4, REDIS_PREFIX: `${api.environment.REDIS_PREFIX}-limit` }),
    );
    const account = await accounts.account();
    const keys = [(await created(account)).key, (await created(account)).key];
    const calls = [
      ...keys.flatMap((value) => [{ headers: { 'x-api-key': value } }, { headers: { 'x-api-key': value } }]),
      { token: accounts.token(account) },
    ];
    const answers = [];
    for (const call of calls) answers.push((await there.call('GET', CREDITS, { ...call, ip: freshIp() })).status);
    expect(answers).toEqual([200, 200, 200, 200, 429]);
  });
});

describe('sms_get.php', () => {
  const send = (username: string, password: string, ip = freshIp()) => {
    const query = new URLSearchParams({ username, password, message: 'x', number: '919999999999' });
    return accounts.row('GET', `/v5/api/sms_get.php?${query.toString()}`, { ip });
  };
  const sent = [503, 'No route available for this channel'];
  const invalid = [401, 'Invalid credentials'];

  it('takes a key of the account as its password', async () => {
    expect(await send('owner', PASSWORD)).toEqual(sent);
    expect(await send('owner', key)).toEqual(sent);
    expect(await send('OWNER@example.com', key)).toEqual(sent);
    const other = await accounts.account();
    for (const name of [other.username, 'OWNER', 'owner ', 'nobody']) expect(await send(name, key)).toEqual(invalid);
    expect(await send('owner', `sk_${'x'.repeat(43)}`)).toEqual(invalid);
  });

  it('refuses a key that was revoked, or comes from elsewhere, and counts it as a failed try', async () => {
    const { id, key: own } = await created(owner, { allowed_ips: ['192.0.2.0/24'] });
    expect(await send('owner', own, '192.0.2.1')).toEqual(sent);
    expect(await send('owner', own, '192.0.3.1')).toEqual(invalid);
    await accounts.row('DELETE', `${KEYS}/${id}`, { token: accounts.token(owner) });
    for (let i = 0; i < 3; i++) expect(await send('owner', own, '192.0.2.1')).toEqual(invalid);
    expect(await send('owner', own, '192.0.2.1')).toEqual(TOO_MANY);
  });

  it('does not let log in with a key', async () => {
    const body = { email_or_username: 'owner', password: key };
    expect(await accounts.row('POST', '/v1/auth/login', { body, ip: freshIp() })).toEqual(invalid);
  });
});

describe('assigned users', () => {
  it('have no keys', async () => {
    const user = { id: 2 ** 40, accountId: owner.id, username: 'x', email: null, firstname: 'A', lastname: 'B' };
    await api.database.dataSource.query(
      `INSERT INTO assigned_users (id, account_id, username, password_hash, password_changed_at, firstname, lastname,
         is_active, created_at, updated_at) VALUES (?, ?, 'x', 'x', '2020-01-01', 'A', 'B', 1, NOW(), NOW())`,
      [user.id, owner.id],
    );
    const assignedUser = {
      ...user,
      isActive: true,
      role: 'manager' as const,
      hasSecondFactor: false,
      passwordChangedAt: new Date('2020-01-01T00:00:00Z'),
    };
    const token = accounts.token({ ...owner, assignedUser });
    expect(await accounts.row('GET', CREDITS, { token })).toEqual(OK);
    expect(await accounts.row('GET', KEYS, { token })).toEqual(DENIED);
    expect(await accounts.row('POST', KEYS, { token, body: {} })).toEqual(DENIED);
    expect(await accounts.row('DELETE', `${KEYS}/1`, { token })).toEqual(DENIED);
  });
});
