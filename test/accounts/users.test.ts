import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Account, AccountDirectory } from '../../src/modules/accounts/index.js';
import { accountsOf, type Accounts, type Answer, PASSWORD, unhurried } from '../support/accounts.js';
import { type RunningApi, startApi } from '../support/api.js';
import { until } from '../support/processes.js';

const USERS = '/v6/api/account/users';
const CREDITS = '/v6/api/account/credits';
const REFUSED = [401, 'Invalid Authorization token'];
const INVALID = [401, 'Invalid credentials'];
const DENIED = [403, 'Permission denied'];
const NOT_FOUND = [404, 'User not found'];
const UPDATED = [200, 'User updated successfully'];
const DELETED = [200, 'User deleted successfully'];
const OK = [200, undefined];

let api: RunningApi;
let accounts: Accounts;
let owner: Account;
let count = 0;
let lastIp = 0;
const freshIp = (): string => `10.4.${lastIp >> 8}.${lastIp++ & 255}`;

const draft = (fields: Record<string, unknown> = {}): Record<string, unknown> => ({
  username: `person${++count}`,
  password: PASSWORD,
  firstname: 'Ann',
  lastname: 'Other',
  ...fields,
});
const create = (actor: Account, fields: Record<string, unknown> = {}): Promise<Answer> =>
  accounts.call('POST', USERS, { token: accounts.token(actor), body: draft(fields) });
const refusal = async (fields: Record<string, unknown>): Promise<[number, string | undefined]> => {
  const { status, body } = await create(owner, fields);
  return [status, body.message];
};
interface User {
  id: number;
  username: string;
}
const made = async (actor: Account = owner, fields: Record<string, unknown> = {}): Promise<User> =>
  (await create(actor, fields)).body['data'] as User;
const row = (method: string, id: number | string, body?: unknown, actor: Account = owner) =>
  accounts.row(method, `${USERS}/${id}`, { token: accounts.token(actor), ...(body === undefined ? {} : { body }) });
const login = (name: string, password = PASSWORD, ip = freshIp()): Promise<Answer> =>
  accounts.call('POST', '/v6/api/v1/auth/login', { body: { email_or_username: name, password }, ip });
const loginRow = async (name: string, password = PASSWORD): Promise<[number, string | undefined]> => {
  const { status, body } = await login(name, password);
  return [status, body.message];
};
const tokenOf = async (name: string, password = PASSWORD): Promise<string> =>
  String((await login(name, password)).body['token']);
const use = (token: string) => accounts.row('GET', CREDITS, { token });

beforeAll(async () => {
  api = await startApi({ TRUST_PROXY: '1', USER_RATE_LIMIT: 0 });
  accounts = accountsOf(api);
  owner = await accounts.account({ username: 'owner', email: 'owner@example.com' });
});
afterAll(() => api.stop());

describe('assigned users', () => {
  it('are created, shown and listed, without their passwords', async () => {
    const account = await accounts.account({ timeZone: 'Asia/Kolkata' });
    const answer = await create(account, { username: ' Ann.Doe ', email: 'Ann@Example.com', surprise: 1 });
    expect(answer.status).toBe(201);
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/) as string;
    const data = {
      id: expect.any(Number) as number,
      username: 'Ann.Doe',
      email: 'ann@example.com',
      firstname: 'Ann',
      lastname: 'Other',
      name: 'Ann Other',
      role: 'manager',
      is_active: true,
      is_invited: false,
      link_expires_at: null,
      created_by: { kind: 'account', id: account.id, name: account.username },
      created_at: time,
      updated_at: time,
    };
    expect(answer.body).toEqual({
      success: true,
      message: 'User created successfully',
      data,
      warnings: [expect.objectContaining({ code: 'unknown_field', field: 'surprise' })],
    });
    const { id } = answer.body['data'] as User;
    const second = await made(account);
    const token = accounts.token(account);
    expect((await accounts.call('GET', `${USERS}/${id}`, { token })).body).toEqual({ success: true, data });
    const list = (await accounts.call('GET', USERS, { token })).body;
    expect(list).toMatchObject({ success: true, page: 1, limit: 50, total: 2 });
    expect((list['data'] as User[]).map((user) => user.id)).toEqual([second.id, id]);
    expect((await accounts.call('GET', `${USERS}?page=2&limit=1`, { token })).body).toMatchObject({
      data: [{ id }],
      total: 2,
    });
    const [audit] = await api.database.dataSource.query<{ details: string }[]>(
      "SELECT details FROM audit_log WHERE action = 'user.create' AND subject = 'Ann.Doe'",
    );
    expect(JSON.parse(audit!.details)).toMatchObject({ account: account.username, email: 'ann@example.com' });
  });

  it('have fields that are checked like those of accounts', async () => {
    await accounts.account({ username: 'There', email: 'there@example.com' });
    await made(owner, { username: 'here', email: 'here@example.com' });
    const faults: [Record<string, unknown>, number, string][] = [
      [{ username: '' }, 400, 'username is required'],
      [{ username: {} }, 400, 'username is required'],
      [{ password: null }, 400, 'password is required'],
      [{ firstname: true }, 400, 'firstname is required'],
      [{ lastname: ' ' }, 400, 'lastname is required'],
      [{ email: [] }, 400, 'email is invalid'],
      [{ password: 'short' }, 400, 'Password must be at least 8 characters'],
      [{ password: 'alllowercase-1' }, 400, 'Password must contain at least one uppercase letter'],
      [{ password: 'ALLUPPERCASE-1' }, 400, 'Password must contain at least one lowercase letter'],
      [{ password: 'No-Digit-Here' }, 400, 'Password must contain at least one digit'],
      [{ password: 'NoSpecial1' }, 400, 'Password must contain at least one special character'],
      [{ password: `Aa1-${'x'.repeat(69)}` }, 400, 'Password must be at most 72 bytes'],
      [{ firstname: 'x'.repeat(101) }, 400, 'firstname must be at most 100 characters'],
      [{ lastname: 'x'.repeat(101) }, 400, 'lastname must be at most 100 characters'],
      [{ email: 'bad' }, 400, 'email is invalid'],
      [{ email: 'THERE@example.com' }, 409, 'Email already registered'],
      [{ email: 'here@example.com' }, 409, 'Email already registered'],
      [{ username: 'ab' }, 400, 'username is invalid'],
      [{ username: 'a@b.de' }, 400, 'username is invalid'],
      [{ username: 'THERE' }, 409, 'Username already taken'],
      [{ username: 'Here' }, 409, 'Username already taken'],
    ];
    for (const [fields, status, text] of faults) expect(await refusal(fields)).toEqual([status, text]);
    expect((await create(owner, { firstname: 5, lastname: 'x'.repeat(100), email: null })).status).toBe(201);
  });

  it('and accounts have their names from one pool, also when they come at the same moment', async () => {
    const register = (username: string, email: string) =>
      accounts.row('POST', '/v1/auth/register', {
        body: { ...draft({ username, email }), password_confirmation: PASSWORD },
        ip: freshIp(),
      });
    const answers = await Promise.all(
      Array.from({ length: 16 }, (_, i) =>
        unhurried(() => (i % 2 ? register('Contested', `c${i}@example.com`) : refusal({ username: 'contested' }))),
      ),
    );
    expect(answers.filter(([status]) => status === 201)).toHaveLength(1);
    expect(answers.filter(([status, text]) => status === 409 && text === 'Username already taken')).toHaveLength(15);
    expect(await register('HERE', 'new@example.com')).toEqual([409, 'Username already taken']);
    const emails = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        unhurried(() => (i % 2 ? register(`reg${i}`, 'one@example.com') : refusal({ email: 'ONE@example.com' }))),
      ),
    );
    expect(emails.filter(([status]) => status === 201)).toHaveLength(1);
    expect(emails.filter(([, text]) => text === 'Email already registered')).toHaveLength(9);
  });

  it('are at most 1000 an account', async () => {
    const account = await accounts.account();
    const rows = Array.from(
      { length: 998 },
      (_, i) => `(${5_000_000_000 + i}, ${account.id}, 'filler${i}', 'x', NOW(), 'A', 'B', 1, NOW(), NOW())`,
    );
    await api.database.dataSource.query(
      `INSERT INTO assigned_users (id, account_id, username, password_hash, password_changed_at, firstname, lastname,
         is_active, created_at, updated_at) VALUES ${rows.join(', ')}`,
    );
    const answers = await Promise.all(Array.from({ length: 6 }, () => unhurried(() => create(account))));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(2);
    const refused = answers.find(({ status }) => status !== 201);
    expect([refused?.status, refused?.body.message]).toEqual([409, 'At most 1000 users are allowed']);
  });

  it('are changed', async () => {
    const { id, username } = await made(owner, { email: 'before@example.com' });
    const shown = async () =>
      (await accounts.call('GET', `${USERS}/${id}`, { token: accounts.token(owner) })).body['data'];
    const body = { firstname: 'New', lastname: 'Name', email: 'After@example.com', surprise: 1 };
    expect(await row('PATCH', id, body)).toEqual(UPDATED);
    expect(await shown()).toMatchObject({ username, name: 'New Name', email: 'after@example.com', is_active: true });
    expect(await loginRow('before@example.com')).toEqual(INVALID);
    expect((await login('after@example.com')).status).toBe(200);
    expect((await create(owner, { email: 'before@example.com' })).status).toBe(201);
    expect(await row('PATCH', id, { email: 'before@example.com' })).toEqual([409, 'Email already registered']);
    expect(await row('PATCH', id, { email: 'after@example.com' })).toEqual(UPDATED);
    for (const nothing of [{}, [], { firstname: null, lastname: '', is_active: null, password: '' }]) {
      expect(await row('PATCH', id, nothing)).toEqual(UPDATED);
    }
    expect(await shown()).toMatchObject({ name: 'New Name', email: 'after@example.com', is_active: true });
    expect(await row('PATCH', id, { email: '' })).toEqual(UPDATED);
    expect(await shown()).toMatchObject({ email: null });
    const faults: [unknown, string][] = [
      [{ firstname: {} }, 'firstname is invalid'],
      [{ lastname: [] }, 'lastname is invalid'],
      [{ email: true }, 'email is invalid'],
      [{ is_active: 1 }, 'is_active must be true or false'],
      [{ password: {} }, 'password is invalid'],
      [{ firstname: 'x'.repeat(101) }, 'firstname must be at most 100 characters'],
      [{ email: 'bad' }, 'email is invalid'],
      [{ password: 'short' }, 'Password must be at least 8 characters'],
    ];
    for (const [fault, text] of faults) expect(await row('PATCH', id, fault)).toEqual([400, text]);
  });

  it('belong to one account: for others they do not exist', async () => {
    const { id } = await made();
    const other = await accounts.account();
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      const body = method === 'PATCH' ? {} : undefined;
      expect(await row(method, id, body, other)).toEqual(NOT_FOUND);
      for (const odd of ['x', '0', '-1', '1.5', '1e3', '9'.repeat(30), String(owner.id)]) {
        expect(await row(method, odd, body)).toEqual(NOT_FOUND);
      }
    }
    expect(await row('GET', id)).toEqual(OK);
    expect(await accounts.row('GET', USERS, {})).toEqual(REFUSED);
  });

  it('need client_management of the account, and are none of their own business', async () => {
    const account = await accounts.account();
    const { id, username } = await made(account);
    const token = await tokenOf(username);
    const all = async (bearer: string): Promise<unknown[]> => [
      await accounts.row('GET', USERS, { token: bearer }),
      await accounts.row('POST', USERS, { token: bearer, body: draft() }),
      await accounts.row('GET', `${USERS}/${id}`, { token: bearer }),
      await accounts.row('PATCH', `${USERS}/${id}`, { token: bearer, body: {} }),
      await accounts.row('DELETE', `${USERS}/${id}`, { token: bearer }),
    ];
    expect(await all(token)).toEqual(Array(5).fill(DENIED));
    const root = await accounts.account({ userType: 'super' });
    const off = { permissions: { client_management: false } };
    await accounts.row('PATCH', `/v6/api/admin/accounts/${account.username}`, {
      token: accounts.token(root),
      body: off,
    });
    expect(await all(accounts.token(account))).toEqual(Array(5).fill(DENIED));
    expect(await use(token)).toEqual(OK);
  });
});

describe('an assigned user', () => {
  it('logs in as accounts do, and acts for his account', async () => {
    const { id, username } = await made(owner, { email: 'worker@example.com' });
    for (const name of [username, 'Worker@Example.com']) {
      const { status, body } = await login(name);
      expect(status).toBe(200);
      expect(body).toMatchObject({ success: true, message: 'Login successful' });
      expect(body['user']).toMatchObject({ id: owner.id, username: 'owner', email: 'owner@example.com', role: 'user' });
      expect(Object.keys(body)).toEqual(['success', 'message', 'token', 'user']);
      const own = await accounts.call('GET', '/v6/api/account', { token: String(body['token']) });
      expect((own.body['data'] as Record<string, unknown>)['person']).toEqual({
        id,
        username,
        name: 'Ann Other',
        role: 'manager',
      });
      const claims = JSON.parse(Buffer.from(String(body['token']).split('.')[1]!, 'base64url').toString()) as object;
      expect(claims).toMatchObject({ sub: String(id), iss: 'switchboard', data: { id: owner.id, username: 'owner' } });
      expect(await use(String(body['token']))).toEqual(OK);
    }
    expect(await loginRow(username.toUpperCase())).toEqual(INVALID);
    expect(await loginRow(username, 'Wrong-Day-7')).toEqual(INVALID);
    expect(await loginRow('owner', 'Wrong-Day-7')).toEqual(INVALID);
  });

  it('sends with sms_get.php under his own name, until he is out', async () => {
    const { id, username } = await made();
    const send = () => {
      const query = new URLSearchParams({ username, password: PASSWORD, message: 'x', number: '919999999999' });
      return accounts.row('GET', `/v5/api/sms_get.php?${query.toString()}`, { ip: freshIp() });
    };
    const sent = [503, 'No route available for this channel'];
    expect(await send()).toEqual(sent);
    expect(await send()).toEqual(sent);
    expect(await row('PATCH', id, { is_active: false })).toEqual(UPDATED);
    expect(await send()).toEqual([401, 'Account is inactive']);
    expect(await row('PATCH', id, { is_active: true, password: 'Rainy-Day-8' })).toEqual(UPDATED);
    expect(await send()).toEqual(INVALID);
  });

  it('is out at once when he is made inactive or removed, and in again only with a new login', async () => {
    const { id, username } = await made();
    const token = await tokenOf(username);
    expect(await use(token)).toEqual(OK);
    expect(await row('PATCH', id, { is_active: false })).toEqual(UPDATED);
    expect(await use(token)).toEqual(REFUSED);
    expect(await loginRow(username)).toEqual([401, 'Account is inactive']);
    expect(await loginRow(username, 'Wrong-Day-7')).toEqual(INVALID);
    expect(await row('PATCH', id, { is_active: true })).toEqual(UPDATED);
    expect(await use(token)).toEqual(REFUSED);
    const later = await tokenOf(username);
    expect(await use(later)).toEqual(OK);
    expect(await row('DELETE', id)).toEqual(DELETED);
    expect(await use(later)).toEqual(REFUSED);
    expect(await loginRow(username)).toEqual(INVALID);
    for (const method of ['GET', 'DELETE']) expect(await row(method, id)).toEqual(NOT_FOUND);
    const again = await made(owner, { username });
    expect(again.id).not.toBe(id);
    expect(await use(token)).toEqual(REFUSED);
    expect((await login(username)).status).toBe(200);
  });

  it('loses his tokens with a new password, the account keeps its own', async () => {
    const { id, username } = await made();
    const before = await tokenOf(username);
    const owners = accounts.token(owner);
    expect(await row('PATCH', id, { password: 'Rainy-Day-8' })).toEqual(UPDATED);
    expect(await use(before)).toEqual(REFUSED);
    expect(await use(owners)).toEqual(OK);
    expect(await loginRow(username)).toEqual(INVALID);
    expect(await use(await tokenOf(username, 'Rainy-Day-8'))).toEqual(OK);
    const audit = await api.database.dataSource.query<{ details: string }[]>(
      "SELECT details FROM audit_log WHERE action = 'user.change' AND subject = ?",
      [username],
    );
    expect(audit.map(({ details }) => JSON.parse(details) as object)).toEqual([
      { account: 'owner', password: 'changed' },
    ]);
  });

  it('is closed with his account', async () => {
    const account = await accounts.account();
    const { username } = await made(account);
    const token = await tokenOf(username);
    const root = await accounts.account({ userType: 'super' });
    const change = (body: object) =>
      accounts.row('PATCH', `/v6/api/admin/accounts/${account.username}`, { token: accounts.token(root), body });
    expect(await use(token)).toEqual(OK);
    await change({ is_active: false });
    expect(await use(token)).toEqual(REFUSED);
    expect(await loginRow(username)).toEqual([401, 'Account is inactive']);
    await change({ is_active: true, expires_at: '2020-01-01' });
    expect(await use(token)).toEqual(REFUSED);
    expect(await loginRow(username)).toEqual([401, 'Account expired. Please contact your administrator.']);
    await change({ expires_at: null });
    expect(await use(token)).toEqual(REFUSED);
    expect(await use(await tokenOf(username))).toEqual(OK);
  });

  it('cannot be named in a body, nor in a path', async () => {
    const { username } = await made();
    const token = await tokenOf(username);
    expect(await accounts.row('POST', '/webhook/api/addbroadcastgsm.php', { body: { username } })).toEqual(REFUSED);
    const path = (name: string) => accounts.row('POST', `/v6/api/chat/24/${name}/messages`, { token, body: {} });
    expect(await path(username)).toEqual([401, 'Route username does not match authenticated user']);
    expect(await path('owner')).toEqual([404, 'No chat account found for this username']);
  });

  it('acts for no other account with a token that names him', async () => {
    const other = await accounts.account();
    const { id, username } = await made();
    const assignedUser = { id, accountId: owner.id, username, email: null, firstname: 'A', lastname: 'B' };
    const now = { isActive: true, role: 'manager' as const, hasSecondFactor: false, passwordChangedAt: new Date(0) };
    expect(await use(accounts.token({ ...owner, assignedUser: { ...assignedUser, ...now } }))).toEqual(OK);
    expect(await use(accounts.token({ ...other, assignedUser: { ...assignedUser, ...now } }))).toEqual(REFUSED);
    expect(await use(accounts.token({ ...owner, assignedUser: { ...assignedUser, ...now, id: 2 ** 45 } }))).toEqual(
      REFUSED,
    );
  });

  it('of staff is staff, and the audit log names both', async () => {
    const admin = await accounts.account({ userType: 'admin' });
    const { username } = await made(admin, { current_password: PASSWORD });
    const token = await tokenOf(username);
    const target = await accounts.account();
    const path = `/v6/api/admin/accounts/${target.username}`;
    expect((await accounts.row('PATCH', path, { token, body: { is_active: true } }))[0]).toBe(200);
    const audit = await accounts.call('GET', '/v6/api/admin/audit?limit=1', { token });
    expect(audit.body['data']).toMatchObject([
      { actor: admin.username, assigned_user: username, action: 'account.change', subject: target.username },
    ]);
  });

  it('is out on another instance within seconds', async () => {
    const { id, username } = await made();
    const token = await tokenOf(username);
    expect(await use(token)).toEqual(OK);
    // as another instance would do it: nothing is forgotten here
    await api.database.dataSource.query('UPDATE assigned_users SET is_active = 0 WHERE id = ?', [id]);
    await until('the token to be refused', async () => (await use(token))[0] === 401, 5_000);
    api.app.get(AccountDirectory).forget(owner.id);
  });
});
