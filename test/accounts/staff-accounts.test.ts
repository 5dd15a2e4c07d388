import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Account } from '../../src/modules/accounts/index.js';
import { accountsOf, type Accounts, type Answer, PASSWORD, unhurried } from '../support/accounts.js';
import { type RunningApi, startApi } from '../support/api.js';

const ACCOUNTS = '/v6/api/admin/accounts';
const FORBIDDEN = [403, 'Forbidden'];
const DENIED = [403, 'Permission denied'];
const NOT_FOUND = [404, 'Account not found'];

let api: RunningApi;
let accounts: Accounts;
let root: Account;
let admin: Account;
let reseller: Account;
let client: Account;
let count = 0;

const draft = (fields: Record<string, unknown> = {}): Record<string, unknown> => ({
  username: `made${++count}`,
  password: PASSWORD,
  firstname: 'Made',
  lastname: 'Up',
  ...fields,
});
const create = (actor: Account, fields: Record<string, unknown> = {}) =>
  accounts.row('POST', ACCOUNTS, {
    token: accounts.token(actor),
    body: { current_password: PASSWORD, ...draft(fields) },
  });
/** With the actor's password, which a change of an account of staff takes, as does a new one. */
const patch = (actor: Account, target: Account | string, changes: unknown) => {
  const name = typeof target === 'string' ? target : target.username;
  const isObject = typeof changes === 'object' && !Array.isArray(changes);
  const body = isObject ? { current_password: PASSWORD, ...changes } : changes;
  return accounts.row('PATCH', `${ACCOUNTS}/${name}`, { token: accounts.token(actor), body });
};
const show = (actor: Account, target: Account): Promise<Answer> =>
  accounts.call('GET', `${ACCOUNTS}/${target.username}`, { token: accounts.token(actor) });
const data = ({ body }: Answer): Record<string, unknown> => body['data'] as Record<string, unknown>;
const NO_MANAGER = 'parent_username must name a reseller, admin or super account';
const CIRCLE = [400, 'parent_username must not be below the account itself'];
const UPDATED = [200, 'Account updated successfully'];
const CREATED = [201, 'Account created successfully'];

beforeAll(async () => {
  api = await startApi({ USER_RATE_LIMIT: 0 });
  accounts = accountsOf(api);
  root = await accounts.account({ username: 'root', userType: 'super' });
  admin = await accounts.account({ username: 'staff', userType: 'admin' });
  reseller = await accounts.account({ username: 'seller', userType: 'reseller' });
  client = await accounts.account({ username: 'client' });
});
afterAll(() => api.stop());

describe('odd requests', () => {
  const nested = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;

  it('answers a body nested thousands of levels deep with 400', async () => {
    const body = `{"permissions":${nested(20_000)}}`;
    const path = `${ACCOUNTS}/${client.username}`;
    expect(await accounts.row('PATCH', path, { token: accounts.token(root), body })).toEqual([
      400,
      'Malformed JSON body',
    ]);
  });

  it.each(['%C3%A9', '%F0%9F%98%80', '%00', 'a%20b'])('knows no campaign called %s', async (name) => {
    const token = accounts.token(client);
    for (const path of [`/v6/api/campaigns/${name}`, `/v6/api/campaigns/${name}/pause`]) {
      const method = path.endsWith('pause') ? 'POST' : 'GET';
      expect(await accounts.row(method, path, { token })).toEqual([404, 'Campaign not found']);
    }
  });
});

describe('creating accounts', () => {
  it('gives them what registered ones get, and tells the audit log without the password', async () => {
    const body = draft({
      username: 'Full.One',
      email: 'Full@Example.com',
      mobile_no: '+49 151 1',
      user_type: 'reseller',
      parent_username: 'staff',
      expires_at: '2099-12-31',
      is_active: false,
      time_zone: 'Asia/Kolkata',
      surprise: 1,
      current_password: PASSWORD,
    });
    const answer = await accounts.call('POST', ACCOUNTS, { token: accounts.token(root), body });
    expect(answer.status).toBe(201);
    expect(data(answer)).toMatchObject({
      username: 'Full.One',
      email: 'full@example.com',
      mobile_no: '491511',
      name: 'Made Up',
      user_type: 'reseller',
      role: 'admin',
      parent_username: 'staff',
      is_active: false,
      expires_at: '2099-12-31 23:59:59',
      time_zone: 'Asia/Kolkata',
      country: 'IN',
      require_token: false,
    });
    expect(answer.body).not.toHaveProperty('data.surprise');
    expect(JSON.stringify(answer.body)).not.toMatch(/password|hash/i);
    const credits = await accounts.call('GET', `${ACCOUNTS}/Full.One/credits`, { token: accounts.token(root) });
    expect(credits.body['data']).toContainEqual({ balance: 'voice_credits', available: 10 });
    const audit = await accounts.call('GET', '/v6/api/admin/audit?actor=root', { token: accounts.token(admin) });
    const [entry] = audit.body['data'] as Record<string, unknown>[];
    expect(entry).toMatchObject({ actor: 'root', action: 'account.create', subject: 'Full.One' });
    expect(entry?.['details']).toEqual({
      username: 'Full.One',
      email: 'full@example.com',
      mobile_no: '491511',
      user_type: 'reseller',
      parent_username: 'staff',
      is_active: false,
      expires_at: '2099-12-31',
      time_zone: 'Asia/Kolkata',
      country: 'IN',
    });
    expect(JSON.stringify(audit.body)).not.toContain(PASSWORD);
  });

  it('checks the fields', async () => {
    const faults: [Record<string, unknown>, number, string][] = [
      [{ username: '' }, 400, 'username is required'],
      [{ username: {} }, 400, 'username is required'],
      [{ password: null }, 400, 'password is required'],
      [{ firstname: true }, 400, 'firstname is required'],
      [{ lastname: ' ' }, 400, 'lastname is required'],
      [{ email: {} }, 400, 'email is invalid'],
      [{ user_type: 'king' }, 400, 'user_type must be one of: super, admin, reseller, client'],
      [{ is_active: 'yes' }, 400, 'is_active must be true or false'],
      [{ password: 'short' }, 400, 'Password must be at least 8 characters'],
      [{ firstname: 'x'.repeat(101) }, 400, 'firstname must be at most 100 characters'],
      [{ email: 'bad' }, 400, 'email is invalid'],
      [{ time_zone: 'Mars/Base' }, 400, 'time_zone is invalid'],
      [{ time_zone: 'local' }, 400, 'time_zone is invalid'],
      [{ country: 'India' }, 400, 'country is invalid'],
      [{ expires_at: 'tomorrow' }, 400, 'expires_at is invalid'],
      [{ expires_at: '+99999-01-01T00:00:00Z' }, 400, 'expires_at is invalid'],
      [{ username: 'a b' }, 400, 'username is invalid'],
      [{ username: 'ROOT' }, 409, 'Username already taken'],
      [{ mobile_no: 'x' }, 400, 'mobile_no is invalid'],
      [{ parent_username: 'nobody' }, 400, 'parent_username is invalid'],
      [{ parent_username: 'client' }, 400, NO_MANAGER],
    ];
    for (const [fields, status, text] of faults) expect(await create(root, fields)).toEqual([status, text]);
    expect(await create(root, { firstname: 5, email: '', user_type: '', expires_at: null })).toEqual(CREATED);
  });

  it('keeps staff to super and clients to their reseller', async () => {
    for (const user_type of ['super', 'admin', 'reseller']) {
      expect(await create(root, { user_type })).toEqual(CREATED);
      expect(await create(admin, { user_type })).toEqual(FORBIDDEN);
      expect(await create(reseller, { user_type })).toEqual(FORBIDDEN);
    }
    expect(await create(admin)).toEqual(CREATED);
    expect(await create(client)).toEqual(FORBIDDEN);
    expect(await create(reseller, { parent_username: 'staff' })).toEqual(FORBIDDEN);
    const answer = await accounts.call('POST', ACCOUNTS, { token: accounts.token(reseller), body: draft() });
    expect(data(answer)).toMatchObject({ parent_username: 'seller', user_type: 'client' });
  });

  it('lets one of ten at the same moment have a name', async () => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => unhurried(() => create(root, { username: 'contested' }))),
    );
    expect(answers.filter(([status]) => status === 201)).toHaveLength(1);
    expect(answers.filter(([, text]) => text === 'Username already taken')).toHaveLength(9);
  });
});

describe('seeing accounts', () => {
  it('is for staff, and for resellers among their own', async () => {
    const own = await accounts.account({ username: 'owned', parentId: reseller.id });
    for (const actor of [root, admin]) expect((await show(actor, reseller)).status).toBe(200);
    expect((await show(reseller, own)).status).toBe(200);
    for (const other of [client, reseller, root]) {
      const { status, body } = await show(reseller, other);
      expect([status, body.message]).toEqual(NOT_FOUND);
    }
    expect(await accounts.row('GET', `${ACCOUNTS}/OWNED`, { token: accounts.token(root) })).toEqual(NOT_FOUND);
    expect(await accounts.row('GET', `${ACCOUNTS}/owned`, { token: accounts.token(own) })).toEqual(FORBIDDEN);
    expect(await accounts.row('GET', ACCOUNTS, {})).toEqual([401, 'Invalid Authorization token']);
    for (const path of ['/v6/api/admin/audit']) {
      expect(await accounts.row('GET', path, { token: accounts.token(reseller) })).toEqual(FORBIDDEN);
      expect(await accounts.row('GET', path, { token: accounts.token(client) })).toEqual(FORBIDDEN);
    }
  });

  it('lists and searches in pages', async () => {
    const seller = await accounts.account({ userType: 'reseller' });
    for (const name of ['100%_a', 'Zoë', 'Zora']) await accounts.account({ firstname: name, parentId: seller.id });
    const list = async (query: string, actor = seller) =>
      (await accounts.call('GET', `${ACCOUNTS}?${query}`, { token: accounts.token(actor) })).body;
    expect(await list('')).toMatchObject({ success: true, page: 1, limit: 50, total: 3 });
    expect(await list('search=zo')).toMatchObject({ total: 2 });
    expect(await list('search=%25_')).toMatchObject({ total: 1 });
    expect(await list('search=\\')).toMatchObject({ total: 0 });
    const second = await list('limit=2&page=2');
    expect(second['data']).toHaveLength(1);
    expect(second).toMatchObject({ page: 2, limit: 2, total: 3 });
    expect(await list('limit=99999&page=-1')).toMatchObject({ page: 1, limit: 1000 });
    expect(await list('page=999999999999&limit=x')).toMatchObject({ data: [] });
    expect(Number((await list('', root))['total'])).toBeGreaterThan(5);
  });
});

describe('changing accounts', () => {
  it('changes what is given and keeps the rest', async () => {
    const target = await accounts.account({ username: 'plain', timeZone: 'UTC' });
    const body = {
      expires_at: '2099-01-02',
      time_zone: 'Asia/Kolkata',
      require_token: true,
      parent_username: 'seller',
    };
    expect(await patch(admin, target, body)).toEqual(UPDATED);
    expect(data(await show(admin, target))).toMatchObject({
      expires_at: '2099-01-02 23:59:59',
      time_zone: 'Asia/Kolkata',
      require_token: true,
      parent_username: 'seller',
      is_active: true,
    });
    const cleared = { expires_at: null, parent_username: '', time_zone: null, is_active: null, password: '' };
    expect(await patch(admin, target, cleared)).toEqual(UPDATED);
    expect(data(await show(admin, target))).toMatchObject({
      expires_at: null,
      time_zone: 'UTC',
      parent_username: null,
      is_active: true,
    });
    expect(await patch(admin, target, { permissions: { gsm: true, invoice: false } })).toEqual(UPDATED);
    expect(data(await show(admin, target))['permissions']).toMatchObject({ gsm: true, invoice: false, support: true });
  });

  it('checks the fields', async () => {
    const faults: [unknown, string][] = [
      [{ is_active: 1 }, 'is_active must be true or false'],
      [{ require_token: 'x' }, 'require_token must be true or false'],
      [{ refund_failed: {} }, 'refund_failed must be true or false'],
      [{ public_lookup: [] }, 'public_lookup must be true or false'],
      [{ expires_at: {} }, 'expires_at is invalid'],
      [{ expires_at: '2026-13-01' }, 'expires_at is invalid'],
      [{ time_zone: 'x' }, 'time_zone is invalid'],
      [{ user_type: true }, 'user_type must be one of: super, admin, reseller, client'],
      [{ permissions: [] }, 'permissions must be an object of true or false'],
      [{ permissions: { gsm: 1 } }, 'permissions must be an object of true or false'],
      [{ permissions: { flying: true } }, 'permissions.flying is invalid'],
      [{ parent_username: 'client' }, NO_MANAGER],
      [{ parent_username: 'nobody' }, 'parent_username is invalid'],
      [{ password: 'alllowercase-1' }, 'Password must contain at least one uppercase letter'],
    ];
    for (const [body, text] of faults) expect(await patch(root, client, body)).toEqual([400, text]);
    expect(await patch(root, 'nobody', {})).toEqual(NOT_FOUND);
    for (const body of [[], '{"permissions":{"__proto__":true}}']) {
      expect(await patch(root, client, body)).toEqual(UPDATED);
    }
  });

  it('keeps staff to super and clients to their reseller', async () => {
    const own = await accounts.account({ parentId: reseller.id });
    const other = await accounts.account({ userType: 'admin' });
    expect(await patch(reseller, own, { is_active: true })).toEqual(UPDATED);
    expect(await patch(reseller, client, { is_active: true })).toEqual(NOT_FOUND);
    expect(await patch(reseller, own, { user_type: 'reseller' })).toEqual(FORBIDDEN);
    expect(await patch(reseller, own, { user_type: 'client', parent_username: 'seller' })).toEqual(UPDATED);
    for (const parent_username of [null, 'staff']) {
      expect(await patch(reseller, own, { parent_username })).toEqual(FORBIDDEN);
    }
    for (const target of [root, other, reseller, admin]) {
      expect(await patch(admin, target, { public_lookup: true })).toEqual(FORBIDDEN);
    }
    expect(await patch(admin, client, { user_type: 'admin' })).toEqual(FORBIDDEN);
    expect(await patch(root, other, { user_type: 'client' })).toEqual(UPDATED);
    expect(await patch(client, client, {})).toEqual(FORBIDDEN);
  });

  it('keeps parents in no circle, also when two changes come at the same moment', async () => {
    const [a, b, c] = [
      await accounts.account({ userType: 'reseller' }),
      await accounts.account({ userType: 'reseller' }),
      await accounts.account({ userType: 'reseller' }),
    ];
    const under = (child: Account, parent: Account) => patch(root, child, { parent_username: parent.username });
    expect(await under(a, a)).toEqual(CIRCLE);
    expect(await under(b, a)).toEqual(UPDATED);
    expect(await under(c, b)).toEqual(UPDATED);
    expect(await under(a, b)).toEqual(CIRCLE);
    expect(await under(a, c)).toEqual(CIRCLE);
    expect(await under(c, a)).toEqual(UPDATED);
    expect(await under(client, c)).toEqual(UPDATED);
    for (let round = 0; round < 5; round++) {
      const [x, y] = [
        await accounts.account({ userType: 'reseller' }),
        await accounts.account({ userType: 'reseller' }),
      ];
      const both = await Promise.all([under(x, y), under(y, x)]);
      expect(both.filter(([status]) => status === 200)).toHaveLength(1);
      expect(both).toContainEqual(CIRCLE);
    }
    expect(await patch(root, client, { parent_username: null })).toEqual(UPDATED);
  });

  it('makes no client of whoever has clients, also when they come at the same moment', async () => {
    const seller = await accounts.account({ userType: 'reseller' });
    const own = await accounts.account({ parentId: seller.id });
    const demote = (target: Account) => patch(root, target, { user_type: 'client' });
    expect(await demote(seller)).toEqual([409, 'Account has clients']);
    expect(await patch(root, seller, { user_type: 'admin' })).toEqual(UPDATED);
    expect(await patch(root, own, { parent_username: 'seller' })).toEqual(UPDATED);
    expect(await demote(seller)).toEqual(UPDATED);
    for (let round = 0; round < 5; round++) {
      const parent = await accounts.account({ userType: 'reseller' });
      const [demoted, adopted, made] = await Promise.all([
        demote(parent),
        patch(root, own, { parent_username: parent.username }),
        create(root, { parent_username: parent.username }),
      ]);
      const refused = demoted[0] === 409;
      if (!refused) expect([demoted, adopted, made]).toEqual([UPDATED, [400, NO_MANAGER], [400, NO_MANAGER]]);
      const children = await api.database.dataSource.query<unknown[]>('SELECT 1 FROM accounts WHERE parent_id = ?', [
        parent.id,
      ]);
      expect(children.length > 0).toBe(refused);
    }
  });

  it('lets nobody change his own user_type, and keeps the last super', async () => {
    for (const user_type of ['client', 'admin']) expect(await patch(root, root, { user_type })).toEqual(FORBIDDEN);
    await api.database.dataSource.query(
      "UPDATE accounts SET is_active = 0 WHERE user_type = 'super' AND username <> 'root'",
    );
    for (const body of [{ is_active: false }, { expires_at: '2020-01-01' }, { expires_at: '2099-01-01' }]) {
      expect(await patch(root, root, body)).toEqual(FORBIDDEN);
    }
    expect(data(await show(root, root))).toMatchObject({ is_active: true, expires_at: null });
    const second = await accounts.account({ userType: 'super' });
    const both = await Promise.all([
      patch(root, second, { is_active: false }),
      patch(second, root, { is_active: false }),
    ]);
    expect(both.filter(([status]) => status === 200)).toHaveLength(1);
    await api.database.dataSource.query("UPDATE accounts SET is_active = 1 WHERE username = 'root'");
  });

  it('enforces client_management and reseller_settings', async () => {
    const seller = await accounts.account({ userType: 'reseller' });
    const own = await accounts.account({ parentId: seller.id });
    expect(await patch(root, seller, { permissions: { reseller_settings: false } })).toEqual(UPDATED);
    for (const body of [{ require_token: true }, { time_zone: 'UTC' }, { permissions: { gsm: true } }]) {
      expect(await patch(seller, own, body)).toEqual(DENIED);
    }
    expect(await patch(seller, own, { is_active: false })).toEqual(UPDATED);
    expect(await patch(root, seller, { permissions: { client_management: false } })).toEqual(UPDATED);
    const token = accounts.token(seller);
    expect(await patch(seller, own, { is_active: true })).toEqual(DENIED);
    expect(await create(seller)).toEqual(DENIED);
    for (const path of ['', `/${own.username}`, `/${own.username}/credits`]) {
      expect(await accounts.row('GET', ACCOUNTS + path, { token })).toEqual(DENIED);
    }
    const grant = { balance: 'gsm_credits', amount: 1 };
    expect(await accounts.row('POST', `${ACCOUNTS}/${own.username}/credits`, { token, body: grant })).toEqual(DENIED);
  });

  it('ends the tokens of an old password, and takes one issued right after', async () => {
    const target = await accounts.account({ userType: 'reseller' });
    const before = accounts.token(target);
    expect(await accounts.row('GET', ACCOUNTS, { token: before })).toEqual([200, undefined]);
    expect(await patch(root, target, { password: 'Rainy-Day-8' })).toEqual(UPDATED);
    expect(await accounts.row('GET', ACCOUNTS, { token: before })).toEqual([401, 'Invalid Authorization token']);
    const login = (password: string) =>
      accounts.call('POST', '/v1/auth/login', { body: { email_or_username: target.username, password } });
    expect((await login(PASSWORD)).status).toBe(401);
    const { body } = await login('Rainy-Day-8');
    expect(await accounts.row('GET', ACCOUNTS, { token: String(body['token']) })).toEqual([200, undefined]);
    const audit = await accounts.call('GET', '/v6/api/admin/audit?limit=1', { token: accounts.token(root) });
    expect(JSON.stringify(audit.body)).not.toContain('Rainy');
    expect(audit.body).toMatchObject({ data: [{ action: 'account.change', details: { password: 'changed' } }] });
    const wide = { is_active: true, expires_at: '2099-01-01', require_token: true, permissions: { gsm: true } };
    expect(await patch(root, target, wide)).toEqual(UPDATED);
    const latest = await accounts.call('GET', '/v6/api/admin/audit?limit=1', { token: accounts.token(root) });
    expect(latest.body).toMatchObject({ data: [{ assigned_user: null }] });
    expect((latest.body['data'] as { details: object }[])[0]?.details).toEqual(wide);
  });

  it('closes an account at once', async () => {
    const target = await accounts.account({ userType: 'reseller' });
    const token = accounts.token(target);
    expect((await accounts.call('GET', ACCOUNTS, { token })).status).toBe(200);
    expect(await patch(root, target, { is_active: false })).toEqual(UPDATED);
    expect(await accounts.row('GET', ACCOUNTS, { token })).toEqual([401, 'Invalid Authorization token']);
  });
});
