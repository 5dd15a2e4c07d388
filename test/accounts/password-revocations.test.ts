import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Account } from '../../src/modules/accounts/index.js';
import { accountsOf, type Accounts, PASSWORD } from '../support/accounts.js';
import { type RunningApi, startApi } from '../support/api.js';

const NEXT = 'Rainy-Day-8';
const CREDITS = '/v6/api/account/credits';

let api: RunningApi;
let accounts: Accounts;
let root: Account;
let count = 0;

beforeAll(async () => {
  api = await startApi({ USER_RATE_LIMIT: 0, LOGIN_FAILURE_LIMIT: 0, IP_FAILURE_LIMIT: 0 });
  accounts = accountsOf(api);
  root = await accounts.account({ userType: 'super' });
});
afterAll(() => api.stop());

interface Holder {
  account: Account;
  keys: { id: number; key: string }[];
  people: { id: number; token: string }[];
}
const post = async (path: string, account: Account, body: unknown): Promise<Record<string, unknown>> =>
  (await accounts.call('POST', path, { token: accounts.token(account), body })).body['data'] as Record<string, unknown>;
/** An account with two keys and two people who are logged in. */
async function holder(): Promise<Holder> {
  const account = await accounts.account();
  const made: Holder = { account, keys: [], people: [] };
  for (let i = 0; i < 2; i++) {
    const { id, key } = await post('/v6/api/account/api-keys', account, { name: `key ${i}` });
    made.keys.push({ id: Number(id), key: String(key) });
    const username = `person-${++count}`;
    const person = { username, password: PASSWORD, firstname: 'Ann', lastname: 'Other' };
    const user = await post('/v6/api/account/users', account, person);
    const body = { email_or_username: username, password: PASSWORD };
    const login = await accounts.call('POST', '/v1/auth/login', { body });
    made.people.push({ id: Number(user['id']), token: String(login.body['token']) });
  }
  return made;
}
const change = (token: string, fields: object = {}) =>
  accounts.call('PUT', '/v6/api/account/password', { token, body: { current: PASSWORD, new: NEXT, ...fields } });
/** Which keys and people are let in. */
const standing = async ({ keys, people }: Holder): Promise<boolean[]> => {
  const calls = [
    ...keys.map(({ key }) => ({ headers: { 'x-api-key': key } })),
    ...people.map(({ token }) => ({ token })),
  ];
  const found: boolean[] = [];
  for (const call of calls) found.push((await accounts.call('GET', CREDITS, call)).status === 200);
  return found;
};
const ids = (list: unknown): number[] => (list as { id: number }[]).map(({ id }) => id).sort((a, b) => a - b);

describe('a changed password', () => {
  it('lists the keys and people that stay', async () => {
    const own = await holder();
    const { status, body } = await change(accounts.token(own.account));
    expect(status).toBe(200);
    expect(ids(body['api_keys'])).toEqual(ids(own.keys));
    expect(ids(body['users'])).toEqual(ids(own.people));
    expect(JSON.stringify(body)).not.toContain(own.keys[0]?.key);
    expect(await standing(own)).toEqual([true, true, true, true]);
  });

  it('revokes all of them in the same request', async () => {
    const own = await holder();
    const { status, body } = await change(accounts.token(own.account), { revoke_api_keys: true, revoke_users: true });
    expect([status, body['api_keys']]).toEqual([200, []]);
    expect((body['users'] as { is_active: boolean }[]).map(({ is_active }) => is_active)).toEqual([false, false]);
    expect(await standing(own)).toEqual([false, false, false, false]);
    const { body: log } = await accounts.call('GET', `/v6/api/admin/audit?actor=${own.account.username}`, {
      token: accounts.token(root),
    });
    const actions = (log['data'] as { action: string }[]).map(({ action }) => action);
    expect(actions.filter((action) => action === 'api_key.revoke')).toHaveLength(2);
    expect(actions.filter((action) => action === 'user.change')).toHaveLength(2);
  });

  it('revokes the named ones, or nothing where one is not the account’s', async () => {
    const own = await holder();
    const other = await holder();
    const token = accounts.token(own.account);
    const foreign: [object, string][] = [
      [{ revoke_api_keys: [own.keys[0]?.id, other.keys[0]?.id], revoke_users: true }, 'API key not found'],
      [{ revoke_api_keys: true, revoke_users: [other.people[0]?.id] }, 'User not found'],
    ];
    for (const [fields, text] of foreign) {
      const { status, body } = await change(token, fields);
      expect([status, body.message]).toEqual([404, text]);
    }
    for (const odd of ['yes', 1, {}, ['1'], [0], [1.5], [null]]) {
      const { status, body } = await change(token, { revoke_users: odd });
      expect([status, body.message]).toEqual([400, 'revoke_users must be true, false or a list of ids']);
    }
    expect(await standing(own)).toEqual([true, true, true, true]);
    const named = { revoke_api_keys: [own.keys[1]?.id], revoke_users: [own.people[0]?.id] };
    expect((await change(token, named)).status).toBe(200);
    expect(await standing(own)).toEqual([true, false, false, true]);
    expect(await standing(other)).toEqual([true, true, true, true]);
  });

  it('of a person lists nobody and revokes nobody', async () => {
    const own = await holder();
    const token = own.people[0]?.token ?? '';
    const refused = await change(token, { revoke_users: true });
    expect([refused.status, refused.body.message]).toEqual([403, 'Permission denied']);
    expect((await change(token)).body).toMatchObject({ success: true, api_keys: [], users: [] });
    expect(await standing(own)).toEqual([true, true, false, true]);
  });

  it('by the staff revokes them too', async () => {
    const own = await holder();
    const patch = (body: object) =>
      accounts.call('PATCH', `/v6/api/admin/accounts/${own.account.username}`, { token: accounts.token(root), body });
    expect((await patch({ revoke_api_keys: true, revoke_users: true })).status).toBe(200); // without a password: nothing
    expect(await standing(own)).toEqual([true, true, true, true]);
    expect((await patch({ password: NEXT, revoke_api_keys: true })).status).toBe(200);
    expect(await standing(own)).toEqual([false, false, true, true]);
    expect((await patch({ password: PASSWORD, revoke_users: true })).status).toBe(200);
    expect(await standing(own)).toEqual([false, false, false, false]);
  });
});
