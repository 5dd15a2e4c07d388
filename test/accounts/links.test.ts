import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Account, PERSON_ROLES } from '../../src/modules/accounts/index.js';
import { accountsOf, type Accounts, type Answer, PASSWORD, unhurried } from '../support/accounts.js';
import { type RunningApi, startApi } from '../support/api.js';

const USERS = '/v6/api/account/users';
const AUTH = '/v6/api/v1/auth';
const NEXT = 'Rainy-Day-8';
const INVALID = [404, 'This link is not valid'];
const SET = [200, 'Password set successfully'];

let api: RunningApi;
let accounts: Accounts;
let owner: Account;
let dataSource: DataSource;
let count = 0;
let lastIp = 0;
const freshIp = (): string => `10.7.${lastIp >> 8}.${lastIp++ & 255}`;

interface Invited {
  user: { id: number; username: string; is_invited: boolean; is_active: boolean; link_expires_at: string | null };
  link: string;
  emailed: boolean;
  expires_at: string;
}

beforeAll(async () => {
  api = await startApi({ TRUST_PROXY: '1', USER_RATE_LIMIT: 0, REGISTER_RATE_LIMIT: 0, LOGIN_FAILURE_LIMIT: 0 });
  accounts = accountsOf(api);
  dataSource = api.app.get(DataSource);
  owner = await accounts.account({ username: 'inviter', firstname: 'Acme', lastname: 'Ltd' });
});
afterAll(() => api.stop());

const call = (method: string, path: string, token: string, body?: unknown): Promise<Answer> =>
  accounts.call(method, path, { token, ...(body !== undefined && { body }) });
const asOwner = (method: string, path: string, body?: unknown) => call(method, path, accounts.token(owner), body);
const rowOf = ({ status, body }: Answer): [number, string | undefined] => [status, body.message];
const invite = async (fields: object = {}, token = accounts.token(owner)): Promise<Invited> => {
  const answer = await call('POST', `${USERS}/invitations`, token, {
    username: `guest${++count}`,
    role: 'sender',
    ...fields,
  });
  expect(rowOf(answer)).toEqual([201, 'User invited successfully']);
  return answer.body['data'] as Invited;
};
const tokenIn = (link: string): string => link.split('#')[1] ?? '';
const use = (link: string, fields: object = {}, ip = freshIp()): Promise<[number, string | undefined]> => {
  const body = { token: tokenIn(link), password: NEXT, firstname: 'Jane', lastname: 'Doe', ...fields };
  return unhurried(() => accounts.row('POST', `${AUTH}/links/use`, { body, ip }));
};
const show = (link: string, ip = freshIp()): Promise<Answer> =>
  accounts.call('POST', `${AUTH}/links/show`, { body: { token: tokenIn(link) }, ip });
const logIn = (name: string, password: string): Promise<Answer> =>
  unhurried(() =>
    accounts.call('POST', `${AUTH}/login`, { body: { email_or_username: name, password }, ip: freshIp() }),
  );
const linkFor = async (id: number): Promise<string> => {
  const answer = await asOwner('POST', `${USERS}/${id}/link`, {});
  expect(rowOf(answer)).toEqual([201, 'Link made successfully']);
  return (answer.body['data'] as { link: string }).link;
};
/** A person who has joined. */
const joined = async (fields: object = {}, token?: string) => {
  const { user, link } = await invite(fields, token);
  expect(await use(link)).toEqual(SET);
  return user;
};
const personToken = async (name: string): Promise<string> => String((await logIn(name, NEXT)).body['token']);

describe('an invitation', () => {
  it('is a login that cannot log in before its link was used, once', async () => {
    const { user, link, emailed, expires_at } = await invite({ email: 'jane@example.com' });
    expect([user.is_invited, user.is_active, emailed, user.link_expires_at]).toEqual([true, false, false, expires_at]);
    expect(link).toMatch(/^\/app\/join#[\w-]{43}$/);
    expect(rowOf(await logIn(user.username, NEXT))).toEqual([401, 'Invalid credentials']);
    expect((await show(link)).body['data']).toEqual({
      purpose: 'invitation',
      username: user.username,
      firstname: '',
      lastname: '',
      account_name: 'Acme Ltd',
      role: 'sender',
      expires_at,
    });
    expect(await use(link, { password: 'short' })).toEqual([400, 'Password must be at least 8 characters']);
    expect(await use(link, { firstname: '' })).toEqual([400, 'firstname is required']);
    expect(await use(link, { lastname: 'x'.repeat(101) })).toEqual([400, 'lastname must be at most 100 characters']);
    expect(await use(link)).toEqual(SET);
    expect((await logIn(user.username, NEXT)).status).toBe(200);
    expect(await use(link)).toEqual(INVALID);
    expect(rowOf(await show(link))).toEqual(INVALID);
    const shown = await asOwner('GET', `${USERS}/${user.id}`);
    expect(shown.body['data']).toMatchObject({
      is_invited: false,
      is_active: true,
      name: 'Jane Doe',
      link_expires_at: null,
    });
  });

  it('used twenty times at once joins once', async () => {
    const { link } = await invite();
    const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => use(link, { password: `Rainy-Day-${i}8` })));
    expect(answers.filter(([status]) => status === 200)).toHaveLength(1);
    expect(answers.filter((answer) => String(answer) === String(INVALID))).toHaveLength(19);
  });

  it('ends with its time, a withdrawal, a newer one, and the person', async () => {
    const late = await invite();
    await dataSource.query('UPDATE one_time_links SET expires_at = ? WHERE subject_id = ?', [new Date(), late.user.id]);
    const withdrawn = await invite();
    expect(rowOf(await asOwner('DELETE', `${USERS}/${withdrawn.user.id}/link`))).toEqual([
      200,
      'Link withdrawn successfully',
    ]);
    expect(rowOf(await asOwner('DELETE', `${USERS}/${withdrawn.user.id}/link`))).toEqual([404, 'Link not found']);
    const replaced = await invite();
    const newer = await linkFor(replaced.user.id);
    const removed = await invite();
    await asOwner('DELETE', `${USERS}/${removed.user.id}`);
    for (const { link } of [late, withdrawn, replaced, removed]) {
      expect(await use(link)).toEqual(INVALID);
      expect(rowOf(await show(link))).toEqual(INVALID);
    }
    expect(newer).toContain('/app/join#');
    expect(await use(newer)).toEqual(SET);
    const rows = await dataSource.query('SELECT 1 FROM one_time_links WHERE subject_id IN (?)', [
      [withdrawn.user.id, replaced.user.id, removed.user.id],
    ]);
    expect(rows).toEqual([]);
  });

  it('gives no role beyond the rights of who invites', async () => {
    const root = await accounts.account({ userType: 'super' });
    const manager = await joined({ role: 'manager', current_password: PASSWORD }, accounts.token(root));
    const token = await personToken(manager.username);
    const path = `/v6/api/admin/accounts/${owner.username}/users`;
    const body = (role: string) => ({ username: `staffed${++count}`, role });
    expect(rowOf(await call('POST', path, token, body('owner')))).toEqual([403, 'Permission denied']);
    expect((await call('POST', path, token, body('manager'))).status).toBe(201);
    expect((await call('POST', path, accounts.token(root), body('owner'))).status).toBe(201);
    expect(rowOf(await call('POST', path, accounts.token(owner), body('viewer')))).toEqual([403, 'Forbidden']);
    const nobody = '/v6/api/admin/accounts/nobody.here/users';
    expect(rowOf(await call('POST', nobody, accounts.token(root), body('viewer')))).toEqual([404, 'Account not found']);
    const sender = await joined({ role: 'sender' });
    const theirs = await personToken(sender.username);
    for (const role of PERSON_ROLES) {
      expect(rowOf(await call('POST', `${USERS}/invitations`, theirs, body(role)))).toEqual([403, 'Permission denied']);
    }
  });

  it('has names from the pool of all logins, and fields that are checked', async () => {
    const taken = await invite({ email: 'taken@example.com' });
    const faults: [object, number, string][] = [
      [{ username: '' }, 400, 'username is required'],
      [{ username: 'a@b.de' }, 400, 'username is invalid'],
      [{ username: taken.user.username.toUpperCase() }, 409, 'Username already taken'],
      [{ email: 'TAKEN@example.com' }, 409, 'Email already registered'],
      [{ email: 'x@example.com\r\nBcc: y@example.com' }, 400, 'email is invalid'],
      [{ role: 'root' }, 400, 'role must be one of: owner, manager, sender, viewer'],
      [{ firstname: 'x'.repeat(101) }, 400, 'firstname must be at most 100 characters'],
    ];
    for (const [fields, status, text] of faults) {
      const body = { username: `guest${++count}`, ...fields };
      expect(rowOf(await asOwner('POST', `${USERS}/invitations`, body))).toEqual([status, text]);
    }
  });

  it('is bounded: 60 links an hour of one account', async () => {
    const busy = await accounts.account();
    const { user } = await invite({}, accounts.token(busy));
    const path = `${USERS}/${user.id}/link`;
    const answers = await Promise.all(Array.from({ length: 61 }, () => call('POST', path, accounts.token(busy), {})));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(59);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(2);
  });
});

describe('a link', () => {
  it('of one account changes nothing of another', async () => {
    const other = await accounts.account();
    const { user } = await invite();
    const theirs = accounts.token(other);
    expect(rowOf(await call('POST', `${USERS}/${user.id}/link`, theirs, {}))).toEqual([404, 'User not found']);
    expect(rowOf(await call('DELETE', `${USERS}/${user.id}/link`, theirs))).toEqual([404, 'User not found']);
    const mine = await invite({}, theirs);
    await dataSource.query('UPDATE one_time_links SET account_id = ? WHERE subject_id = ?', [owner.id, mine.user.id]);
    expect(await use(mine.link)).toEqual(INVALID);
  });

  it.each([
    ['', 400],
    ['x', 404],
    [`${'x'.repeat(42)}!`, 404],
    [{}, 400],
    ['x'.repeat(43), 404],
    ["' OR 1=1 -- ", 404],
  ])('that is none (%j) is refused before any work', async (token, status) => {
    const body = { token, password: 'short' };
    expect((await accounts.row('POST', `${AUTH}/links/use`, { body, ip: freshIp() }))[0]).toBe(status);
    expect((await accounts.row('POST', `${AUTH}/links/show`, { body, ip: freshIp() }))[0]).toBe(status);
  });

  it('cannot be guessed at: an address with too many unknown ones has to wait', async () => {
    const ip = freshIp();
    const tries = Array.from({ length: 80 }, () => show(`#${'y'.repeat(43)}`, ip));
    const statuses = (await Promise.all(tries)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 404)).toHaveLength(60);
    expect(statuses.filter((status) => status === 429)).toHaveLength(20);
    const { link } = await invite();
    const blocked = { token: tokenIn(link), password: NEXT, firstname: 'Jane', lastname: 'Doe' };
    expect((await accounts.row('POST', `${AUTH}/links/use`, { body: blocked, ip }))[0]).toBe(429);
    expect(await use(link)).toEqual(SET);
  });

  it('for a new password ends every session, keeps keys, and forgets the former password', async () => {
    const user = await joined({ role: 'owner' });
    const token = await personToken(user.username);
    const made = await call('POST', '/v6/api/account/api-keys', token, { scopes: ['read'] });
    const { key } = made.body['data'] as { key: string };
    const link = await linkFor(user.id);
    expect(link).toMatch(/^\/app\/new-password#/);
    expect((await show(link)).body['data']).toMatchObject({
      purpose: 'password',
      username: user.username,
      role: 'owner',
    });
    expect(await use(link, { password: 'Third-Day-9' })).toEqual(SET);
    expect((await call('GET', '/v6/api/account', token)).status).toBe(401);
    expect((await logIn(user.username, NEXT)).status).toBe(401);
    expect((await logIn(user.username, 'Third-Day-9')).status).toBe(200);
    expect((await accounts.call('GET', '/v6/api/account', { headers: { 'x-api-key': key } })).status).toBe(200);
  });

  it('ends with a later password of its login, and with its maker’s right', async () => {
    const maker = await joined({ role: 'owner' });
    const token = await personToken(maker.username);
    const [a, b] = [await invite({}, token), await invite({}, token)];
    expect(await use(a.link)).toEqual(SET);
    await asOwner('PATCH', `${USERS}/${maker.id}`, { role: 'manager' });
    expect(await use(b.link)).toEqual(INVALID);
    await asOwner('PATCH', `${USERS}/${maker.id}`, { role: 'owner' });
    expect((await show(b.link)).status).toBe(404);
    const again = await personToken(maker.username);
    const [c, d] = [await invite({}, again), await invite({}, again)];
    await asOwner('PATCH', `${USERS}/${maker.id}`, { is_active: false });
    expect(await use(c.link)).toEqual(INVALID);
    await asOwner('PATCH', `${USERS}/${maker.id}`, { is_active: true });
    expect(rowOf(await asOwner('POST', `${USERS}/${maker.id}/sign-out`, {}))).toEqual([
      200,
      'User signed out successfully',
    ]);
    expect(await use(d.link)).toEqual(INVALID);
    const user = await joined();
    const link = await linkFor(user.id);
    await asOwner('PATCH', `${USERS}/${user.id}`, { password: 'Fifth-Day-5' });
    expect(await use(link)).toEqual(INVALID);
  });

  it('is made for the login of an account by staff, who prove their password where it is of staff', async () => {
    const root = await accounts.account({ userType: 'super' });
    const target = await accounts.account();
    const path = `/v6/api/admin/accounts/${target.username}/link`;
    const made = await call('POST', path, accounts.token(root), {});
    expect(rowOf(made)).toEqual([201, 'Link made successfully']);
    expect(await use((made.body['data'] as { link: string }).link)).toEqual(SET);
    expect((await logIn(target.username, NEXT)).status).toBe(200);
    const [row] = await dataSource.query<{ password_set_by: string }[]>(
      'SELECT password_set_by FROM accounts WHERE id = ?',
      [target.id],
    );
    expect(row?.password_set_by).toBe(`staff:${root.id}:${root.username}`);
    const { user } = await invite();
    const ofPerson = `/v6/api/admin/accounts/${owner.username}/users/${user.id}/link`;
    expect(rowOf(await call('POST', ofPerson, accounts.token(root), {}))[0]).toBe(201);
    const admin = await accounts.account({ userType: 'admin' });
    const theirs = `/v6/api/admin/accounts/${admin.username}/link`;
    expect(rowOf(await call('POST', theirs, accounts.token(root), {}))).toEqual([400, 'current_password is required']);
    const wrong = { current_password: 'Wrong-Day-1' };
    expect(rowOf(await call('POST', theirs, accounts.token(root), wrong))).toEqual([401, 'Invalid credentials']);
    const right = await call('POST', theirs, accounts.token(root), { current_password: PASSWORD });
    expect(right.status).toBe(201);
    // the maker is no longer staff
    await dataSource.query("UPDATE accounts SET user_type = 'client' WHERE id = ?", [root.id]);
    expect(await use((right.body['data'] as { link: string }).link)).toEqual(INVALID);
    expect(rowOf(await call('POST', path, accounts.token(admin), {}))).toEqual([201, 'Link made successfully']);
    expect(rowOf(await call('POST', theirs, accounts.token(admin), {}))[0]).toBe(403);
  });

  it('is never made for the own login, whose former password would not be asked for', async () => {
    const self = await joined({ role: 'owner' });
    const token = await personToken(self.username);
    expect(rowOf(await call('POST', `${USERS}/${self.id}/link`, token, {}))).toEqual([403, 'Permission denied']);
  });

  it('stands in no row, log or audit entry', async () => {
    const { user, link } = await invite();
    const token = tokenIn(link);
    const tables = await dataSource.query<Record<string, string>[]>('SHOW TABLES');
    for (const name of tables.flatMap((row) => Object.values(row))) {
      const rows = await dataSource.query<unknown[]>(`SELECT * FROM \`${name}\` LIMIT 5000`);
      expect(JSON.stringify(rows).includes(token), name).toBe(false);
    }
    expect(await use(link)).toEqual(SET);
    const audit = await dataSource.query<{ action: string; details: string }[]>(
      'SELECT action, details FROM audit_log WHERE subject = ? ORDER BY id',
      [user.username],
    );
    expect(audit.map(({ action }) => action)).toEqual(['user.invite', 'user.join']);
    expect(JSON.stringify(audit)).not.toContain(token);
  });
});

describe('a forced sign-out', () => {
  it('ends the tokens and links of a person, of nobody else', async () => {
    const account = await accounts.account();
    const [first, second] = [
      await joined({ role: 'owner' }, accounts.token(account)),
      await joined({ role: 'viewer' }, accounts.token(account)),
    ];
    const tokens = [accounts.token(account), await personToken(first.username), await personToken(second.username)];
    const states = async () =>
      Promise.all(tokens.map(async (token) => (await call('GET', '/v6/api/account', token)).status));
    expect(await states()).toEqual([200, 200, 200]);
    const { link } = await invite({}, tokens[1]);
    const path = `${USERS}/${first.id}/sign-out`;
    expect((await call('POST', path, tokens[2]!, {})).status).toBe(403);
    expect(rowOf(await call('POST', path, tokens[0]!, {}))).toEqual([200, 'User signed out successfully']);
    expect(await states()).toEqual([200, 401, 200]);
    expect(await use(link)).toEqual(INVALID);
    tokens[1] = await personToken(first.username);
    expect(await states()).toEqual([200, 200, 200]);
    expect(rowOf(await asOwner('POST', path, {}))).toEqual([404, 'User not found']);
  });
});

describe('a second owner', () => {
  it('has every right, and changes neither the own role nor itself away', async () => {
    const second = await joined({ role: 'owner' });
    const token = await personToken(second.username);
    expect((await call('GET', '/v6/api/account', token)).body['data']).toMatchObject({ person: { role: 'owner' } });
    const path = `${USERS}/${second.id}`;
    for (const body of [{ role: 'manager' }, { role: 'owner' }, { is_active: false }]) {
      expect(rowOf(await call('PATCH', path, token, body))).toEqual([403, 'Permission denied']);
    }
    expect(rowOf(await call('DELETE', path, token))).toEqual([403, 'Permission denied']);
    expect((await call('PATCH', path, token, { firstname: 'Other' })).status).toBe(200);
    const third = await joined({ role: 'owner' }, token);
    expect(rowOf(await call('DELETE', `${USERS}/${third.id}`, token))).toEqual([200, 'User deleted successfully']);
    expect((await asOwner('PATCH', path, { role: 'viewer' })).status).toBe(200);
    // the lower role ended the session
    expect((await call('GET', '/v6/api/account', token)).status).toBe(401);
    const viewer = await personToken(second.username);
    expect(rowOf(await call('GET', '/v6/api/account/api-keys', viewer))[0]).toBe(403);
  });
});
