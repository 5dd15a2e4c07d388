import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Account } from '../../src/modules/accounts/index.js';
import { accountsOf, type Accounts, type Answer } from '../support/accounts.js';
import { type RunningApi, startApi } from '../support/api.js';
import { until } from '../support/processes.js';

const KEYS = '/v6/api/account/api-keys';
const CREDITS = '/v6/api/account/credits';
const DENIED = [403, 'Permission denied'];
const TOO_MANY = [429, 'Too many requests. Please try again later.'];
const OK = [200, undefined];

let api: RunningApi;
let other: RunningApi;
let accounts: Accounts;
let owner: Account;
let lastIp = 0;
const freshIp = (): string => `10.5.${lastIp >> 8}.${lastIp++ & 255}`;

const create = (actor: Account, body: unknown = {}): Promise<Answer> =>
  accounts.call('POST', KEYS, { token: accounts.token(actor), body });
const created = async (actor: Account, body: unknown = {}): Promise<{ id: number; key: string }> =>
  (await create(actor, body)).body['data'] as { id: number; key: string };
const withKey = (value: string, path = CREDITS, ip = freshIp(), method = 'GET', body?: unknown) =>
  accounts.row(method, path, { headers: { 'x-api-key': value }, ip, ...(body === undefined ? {} : { body }) });

beforeAll(async () => {
  api = await startApi({ TRUST_PROXY: '1' });
  accounts = accountsOf(api);
  owner = await accounts.account({ username: 'owner' });
  // Passport knows one strategy a process, which keys do not use
  other = await startApi(api.environment, api.database);
});
afterAll(async () => {
  await other.stop();
  await api.stop();
});

describe('limits of a key', () => {
  it('are shown with it, and kept in the audit log', async () => {
    const body = { scopes: ['read', 'send:sms'], expires_at: '2099-12-31', max_per_day: 1_000_000 };
    const { data } = (await create(owner, body)).body;
    const limits = { scopes: ['send:sms', 'read'], expires_at: '2099-12-31 23:59:59', max_per_day: 1_000_000 };
    expect(data).toMatchObject(limits);
    const [audit] = await api.database.dataSource.query<{ details: string }[]>(
      "SELECT details FROM audit_log WHERE action = 'api_key.create' ORDER BY id DESC LIMIT 1",
    );
    expect(JSON.parse(audit!.details)).toMatchObject(limits);
  });

  it('end it at its time, on every way', async () => {
    const made = await created(owner, { expires_at: new Date(Date.now() + 2_000).toISOString() });
    const byPassword = `/v5/api/sms_get.php?username=owner&password=${made.key}&message=hi&number=919812345678`;
    expect(await withKey(made.key)).toEqual(OK);
    await until('the key to end', async () => (await withKey(made.key))[0] === 401, 5_000);
    expect(await accounts.row('GET', byPassword, { ip: freshIp() })).toEqual([401, 'Invalid credentials']);
    const [listed] = (await accounts.call('GET', KEYS, { token: accounts.token(owner) })).body['data'] as object[];
    expect(listed).toMatchObject({ id: made.id });
  });

  it('count its requests over all instances, and those with sms_get.php', async () => {
    const { key: few } = await created(owner, { max_per_day: 3 });
    const { key: many } = await created(owner);
    expect(await withKey(few)).toEqual(OK);
    const there = await fetch(other.url + CREDITS, { headers: { 'x-api-key': few } });
    expect(there.status).toBe(200);
    const byPassword = `/v5/api/sms_get.php?username=owner&password=${few}&message=&number=1`;
    expect((await accounts.row('GET', byPassword, { ip: freshIp() }))[0]).toBe(400);
    const filled = byPassword.replace('message=', 'message=hi');
    expect((await accounts.row('GET', filled, { ip: freshIp() }))[0]).toBe(400);
    const refused = await accounts.call('GET', CREDITS, { headers: { 'x-api-key': few }, ip: freshIp() });
    expect([refused.status, refused.body.message]).toEqual(TOO_MANY);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(86_000);
    expect((await accounts.row('GET', filled, { ip: freshIp() }))[0]).toBe(429);
    expect(await withKey(many)).toEqual(OK);
    const listed = (await accounts.call('GET', KEYS, { token: accounts.token(owner) })).body['data'] as object[];
    expect(listed.slice(0, 2)).toMatchObject([{ requests_today: null }, { max_per_day: 3, requests_today: 5 }]);
  });

  it('count open reports, too', async () => {
    const account = await accounts.account({ username: 'closed.reports' });
    const { key } = await created(account, { max_per_day: 2 });
    await accounts.call('PATCH', '/v6/api/account/security', {
      token: accounts.token(account),
      body: { require_token: true },
    });
    const template = { template_name: 'hello', category: 'utility' };
    await accounts.call('POST', '/webhook/api/createTemplates.php', { token: accounts.token(account), body: template });
    const templates = () => withKey(key, '/webhook/api/templates.php?username=closed.reports');
    expect([await templates(), await templates(), await templates()].map(([status]) => status)).toEqual([
      200, 200, 429,
    ]);
  });

  it('hold for the channel of a campaign, and for templates of an account that demands its token', async () => {
    const account = await accounts.account({ username: 'scoped' });
    const { key: sms } = await created(account, { scopes: ['send:sms'] });
    const { key: reads } = await created(account, { scopes: ['read'] });
    const bulk = (channel: string) => {
      const recipients = [{ to: '919812345678' }];
      const body = { channel, broadcast_name: 'x', message: 'hi', recipients };
      return withKey(sms, '/v6/api/campaigns', freshIp(), 'POST', body);
    };
    expect(await bulk('unofficial')).toEqual(DENIED);
    expect(await bulk('sms')).toEqual([503, 'No route available for this channel']);
    const token = accounts.token(account);
    const template = { template_name: 'hello', category: 'utility' };
    const { status } = await accounts.call('POST', '/webhook/api/createTemplates.php', { token, body: template });
    expect(status).toBe(200);
    const demanded = { token, body: { require_token: true } };
    expect((await accounts.call('PATCH', '/v6/api/account/security', demanded)).status).toBe(200);
    const templates = '/webhook/api/templates.php?username=scoped';
    expect((await withKey(sms, templates))[0]).toBe(404);
    expect((await withKey(reads, templates))[0]).toBe(200);
    const me = await accounts.call('GET', '/v6/api/account', { headers: { 'x-api-key': sms }, ip: freshIp() });
    expect(me.body['data']).toMatchObject({ rights: ['send:sms', 'self'] });
  });

  it('are none for a key of before, whatever its form', async () => {
    const former = `sk_${'f'.repeat(43)}`;
    await api.database.dataSource.query(
      `INSERT INTO api_keys (account_id, prefix, key_digest, allowed_ips, created_at)
       VALUES (?, 'sk_ffffffff', SHA2(?, 256), '[]', UTC_TIMESTAMP())`,
      [owner.id, former],
    );
    expect(await withKey(former)).toEqual(OK);
    const check = await withKey(former, '/v6/api/account/number-check', freshIp(), 'PUT', { number_check: 'warn' });
    expect(check).toEqual([200, 'Number check saved successfully']);
  });
});
