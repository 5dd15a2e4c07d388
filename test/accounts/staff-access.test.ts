import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Account } from '../../src/modules/accounts/index.js';
import { accountsOf, type Accounts, type Answer, PASSWORD } from '../support/accounts.js';
import { type RunningApi, startApi } from '../support/api.js';

type Row = Record<string, unknown>;

let api: RunningApi;
let accounts: Accounts;
let root: Account;
let admin: Account;
let reseller: Account;
let client: Account;
let stranger: Account;

const call = (
  method: string,
  actor: Account,
  target: Account | string,
  rest: string,
  body?: unknown,
): Promise<Answer> =>
  accounts.call(method, `/v6/api/admin/accounts/${typeof target === 'string' ? target : target.username}/${rest}`, {
    token: accounts.token(actor),
    ...(body === undefined ? {} : { body }),
  });
const row = async (...details: Parameters<typeof call>): Promise<[number, string | undefined]> => {
  const { status, body } = await call(...details);
  return [status, body.message];
};
const rows = async (...details: Parameters<typeof call>): Promise<Row[]> =>
  (await call(...details)).body['data'] as Row[];
const own = (method: string, actor: Account, path: string, body?: unknown): Promise<Answer> =>
  accounts.call(method, `/v6/api${path}`, { token: accounts.token(actor), ...(body === undefined ? {} : { body }) });
const lastChange = async (): Promise<Row | undefined> =>
  ((await own('GET', root, '/admin/audit?limit=1')).body['data'] as Row[])[0];

beforeAll(async () => {
  api = await startApi({ USER_RATE_LIMIT: 0, SUPPRESSIONS_PER_ACCOUNT: 5 });
  accounts = accountsOf(api);
  root = await accounts.account({ userType: 'super' });
  admin = await accounts.account({ userType: 'admin' });
  reseller = await accounts.account({ userType: 'reseller' });
  client = await accounts.account({ parentId: reseller.id });
  stranger = await accounts.account();
});
afterAll(() => api.stop());

/** Who acts for an account, and its stop list, as its managers see and change them (reference/admin#keys-people-stop-list). */
describe('keys and people of an account', () => {
  it('are shown to its managers, and a key is revoked by them', async () => {
    const created = (await own('POST', client, '/account/api-keys', { name: 'shop' })).body['data'] as Row;
    const { key, ...shown } = created;
    for (const actor of [root, admin, reseller]) {
      expect((await call('GET', actor, client, 'api-keys')).body).toEqual({
        success: true,
        data: [shown],
        page: 1,
        limit: 50,
        total: 1,
        next_cursor: null,
      });
    }
    const id = String(created['id']);
    expect(await row('DELETE', reseller, stranger, `api-keys/${id}`)).toEqual([404, 'Account not found']);
    expect(await row('DELETE', root, stranger, `api-keys/${id}`)).toEqual([404, 'API key not found']);
    expect(await row('DELETE', root, client, 'api-keys/odd')).toEqual([404, 'API key not found']);
    const withKey = () => accounts.call('GET', '/v6/api/account/credits', { headers: { 'x-api-key': String(key) } });
    expect((await withKey()).status).toBe(200);
    expect((await call('DELETE', reseller, client, `api-keys/${id}`)).body).toEqual({
      success: true,
      message: 'API key revoked successfully',
    });
    expect((await withKey()).status).toBe(401);
    expect(await rows('GET', root, client, 'api-keys')).toEqual([]);
    expect(await lastChange()).toMatchObject({
      actor: reseller.username,
      action: 'api_key.revoke',
      subject: client.username,
      details: { id: created['id'], name: 'shop', prefix: created['prefix'] },
    });
  });

  it('of staff are revoked by super alone', async () => {
    const created = (await own('POST', admin, '/account/api-keys', { current_password: PASSWORD })).body['data'] as Row;
    const path = `api-keys/${String(created['id'])}`;
    expect(await row('DELETE', admin, admin, path)).toEqual([403, 'Forbidden']);
    expect(await row('DELETE', root, admin, path)).toEqual([200, 'API key revoked successfully']);
  });

  it('show people, also of an account that may not manage them itself', async () => {
    const person = { username: 'peter.person', password: PASSWORD, firstname: 'Peter', lastname: 'Person' };
    const { body } = await own('POST', client, '/account/users', person);
    await own('PATCH', root, `/admin/accounts/${client.username}`, { permissions: { client_management: false } });
    for (const actor of [root, admin, reseller])
      expect(await rows('GET', actor, client, 'users')).toEqual([body['data']]);
    expect((await call('GET', root, client, 'users?limit=1&cursor=odd')).status).toBe(400);
    expect((await call('GET', root, client, 'api-keys?cursor=odd')).status).toBe(400);
  });

  it('are not for others', async () => {
    for (const rest of ['api-keys', 'users', 'suppressions']) {
      expect(await row('GET', stranger, client, rest)).toEqual([403, 'Forbidden']);
      expect(await row('GET', reseller, stranger, rest)).toEqual([404, 'Account not found']);
      expect(await row('GET', root, 'nobody', rest)).toEqual([404, 'Account not found']);
      expect((await accounts.call('GET', `/v6/api/admin/accounts/${client.username}/${rest}`)).status).toBe(401);
    }
    const closed = await accounts.account({ userType: 'reseller' });
    const change = { permissions: { client_management: false }, current_password: PASSWORD };
    await own('PATCH', root, `/admin/accounts/${closed.username}`, change);
    for (const rest of ['api-keys', 'users', 'suppressions']) {
      expect(await row('GET', closed, client, rest)).toEqual([403, 'Permission denied']);
    }
  });
});

describe('the stop list of an account', () => {
  it('is read and changed by its managers; the audit log keeps how many, not which', async () => {
    const numbers = ['4915112345678', '+49 151 87654321', '4915112345678'];
    expect((await call('POST', reseller, client, 'suppressions', { numbers })).body).toEqual({
      success: true,
      message: 'Suppressions saved successfully',
      data: { added: 2, already: 0 },
    });
    const added = await lastChange();
    expect(added).toMatchObject({ actor: reseller.username, action: 'suppression.add', subject: client.username });
    expect(added?.['details']).toEqual({ numbers: 2, added: 2 });
    const listed = await rows('GET', root, client, 'suppressions');
    expect(listed.map(({ number }) => number)).toEqual(['4915112345678', '4915187654321']);
    expect((await own('GET', client, '/suppressions')).body['data']).toEqual(listed);
    expect(await rows('GET', admin, client, 'suppressions?number=4915187654321')).toEqual([listed[1]]);
    expect((await call('DELETE', admin, client, 'suppressions?number=4915187654321')).body).toEqual({
      success: true,
      message: 'Suppressions removed successfully',
      data: { removed: 1 },
    });
    expect(await lastChange()).toMatchObject({ action: 'suppression.remove', details: { numbers: 1, removed: 1 } });
    const rest = { numbers: ['4915112345678', '+49 1511 2345678', '4915187654321'] };
    expect((await call('DELETE', admin, client, 'suppressions', rest)).body['data']).toEqual({ removed: 1 });
    expect(await lastChange()).toMatchObject({ action: 'suppression.remove', details: { numbers: 2, removed: 1 } });
    expect(await rows('GET', root, client, 'suppressions')).toEqual([]);
  });

  it('refuses what its owner would be refused', async () => {
    for (const method of ['POST', 'DELETE']) {
      expect(await row(method, root, client, 'suppressions', {})).toEqual([400, 'numbers is required']);
      expect(await row(method, root, client, 'suppressions', { number: '12' })).toEqual([
        400,
        'number has fewer than 8 digits',
      ]);
      const body = { number: '4915112345699' };
      expect(await row(method, admin, root, 'suppressions', body)).toEqual([403, 'Forbidden']);
      expect(await row(method, reseller, stranger, 'suppressions', body)).toEqual([404, 'Account not found']);
      expect(await row(method, stranger, client, 'suppressions', body)).toEqual([403, 'Forbidden']);
    }
    const before = await lastChange();
    expect(await row('DELETE', root, client, 'suppressions', { number: '4915112345699' })).toEqual([
      404,
      'Suppression not found',
    ]);
    const many = Array.from({ length: 6 }, (_, index) => `491511234560${index}`);
    expect(await row('POST', root, client, 'suppressions', { numbers: many })).toEqual([
      400,
      'At most 5 suppressions are allowed',
    ]);
    expect(await lastChange()).toEqual(before);
    expect(await row('GET', root, client, 'suppressions?number=12')).toEqual([400, 'number has fewer than 8 digits']);
    expect(await row('GET', root, client, 'suppressions?cursor=odd')).toEqual([400, 'cursor is invalid']);
  });
});
