import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Account } from '../../src/modules/accounts/index.js';
import { accountsOf, type Accounts, type Answer, type Call, PASSWORD } from '../support/accounts.js';
import { type RunningApi, startApi } from '../support/api.js';
import { until } from '../support/processes.js';

const PATH = '/v6/api/account/log';

interface Entry {
  kind: string;
  action: string;
  username: string;
  api_key: string | null;
  subject: string | null;
  details: Record<string, unknown>;
  ip: string | null;
}

let api: RunningApi;
let accounts: Accounts;

beforeAll(async () => {
  api = await startApi({ TRUST_PROXY: '1', USER_RATE_LIMIT: 0, OUTBOUND_ALLOW: '127.0.0.0/8' });
  accounts = accountsOf(api);
});
afterAll(() => api.stop());

const log = (account: Account, query = ''): Promise<Answer> =>
  accounts.call('GET', PATH + query, { token: accounts.token(account) });
const entries = async (account: Account, query = ''): Promise<Entry[]> =>
  (await log(account, query)).body['data'] as Entry[];
const list = (by: Call, name: string): Promise<Answer> =>
  accounts.call('POST', '/v6/api/lists', { ...by, body: { name } });
const login = (name: string, password: string, ip: string): Promise<Answer> =>
  accounts.call('POST', '/v1/auth/login', { body: { email_or_username: name, password }, ip });

/** What an account sees of itself (reference/accounts#own-log). */
describe('the log of an account', () => {
  it('tells what it, its people and its keys changed, and who logged in, and nothing of others', async () => {
    const account = await accounts.account({ email: 'log.owner@example.com' });
    const other = await accounts.account();
    await list({ token: accounts.token(other) }, 'of another');
    const bearer = { token: accounts.token(account) };
    const created = await accounts.call('POST', '/v6/api/account/api-keys', { ...bearer, body: { name: 'shop' } });
    const { key, prefix } = created.body['data'] as Record<string, string>;
    await list({ headers: { 'x-api-key': String(key) } }, 'by key');
    const person = { username: 'log.person', password: PASSWORD, firstname: 'Log', lastname: 'Person' };
    await accounts.call('POST', '/v6/api/account/users', { ...bearer, body: person });
    const { body } = await login('log.person', PASSWORD, '10.61.0.1');
    await list({ token: String(body['token']) }, 'by person');
    await login('log.owner@example.com', 'Wrong-Day-7', '10.61.0.2');
    await login('nobody.at.all', 'Wrong-Day-7', '10.61.0.3');
    await login(other.username, PASSWORD, '10.61.0.4');
    await until('the logins', async () => (await entries(account, '?kind=login')).length === 2);

    const seen = await entries(account);
    expect(seen.map(({ kind, action, username }) => [kind, action, username]).sort()).toEqual([
      ['change', 'api_key.create', account.username],
      ['change', 'list.create', 'log.person'],
      ['change', 'list.create', account.username],
      ['change', 'user.create', account.username],
      ['login', 'login', 'log.person'],
      ['login', 'login_failed', account.username],
    ]);
    expect(seen.find(({ details }) => details['name'] === 'by key')).toMatchObject({ api_key: prefix, ip: null });
    expect(seen.find(({ details }) => details['name'] === 'by person')).toMatchObject({ api_key: null });
    expect(seen.find(({ action }) => action === 'login_failed')).toEqual({
      id: expect.stringMatching(/^login-\d+$/) as string,
      kind: 'login',
      action: 'login_failed',
      username: account.username,
      api_key: null,
      subject: null,
      details: {},
      ip: '10.61.0.2',
      times: 1,
      created_by: null,
      created_at: expect.stringMatching(/^\d{4}-/) as string,
    });
    const ofPerson = { token: String(body['token']) };
    expect(await accounts.row('GET', PATH, ofPerson)).toEqual([403, 'Permission denied']);
    const ofKey = { headers: { 'x-api-key': String(key) } };
    expect(await accounts.row('GET', PATH, ofKey)).toEqual([401, 'Invalid Authorization token']);
  });

  it('is gone through by cursor and by page, each entry once', async () => {
    const account = await accounts.account();
    for (let count = 0; count < 3; count++) {
      await list({ token: accounts.token(account) }, `list ${count}`);
      await login(account.username, count === 1 ? 'Wrong-Day-7' : PASSWORD, '10.61.1.1');
      await until('the login', async () => (await entries(account, '?kind=login')).length === count + 1);
    }
    const all = await entries(account);
    expect(all.map(({ action }) => action)).toEqual([
      'login',
      'list.create',
      'login_failed',
      'list.create',
      'login',
      'list.create',
    ]);
    const found: Entry[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const { body } = await log(account, `?limit=2&cursor=${cursor}`);
      expect(body['total']).toBe(6);
      found.push(...(body['data'] as Entry[]));
      cursor = body['next_cursor'] as string | null;
    }
    expect(found).toEqual(all);
    expect(await entries(account, '?limit=2&page=2')).toEqual(all.slice(2, 4));
    expect(await entries(account, '?limit=2&page=9')).toEqual([]);
    expect(await entries(account, '?limit=1000&page=900000')).toEqual([]);
    expect((await entries(account, '?kind=change')).map(({ kind }) => kind)).toEqual(['change', 'change', 'change']);
  });

  it('takes no odd words', async () => {
    const account = await accounts.account();
    const bearer = { token: accounts.token(account) };
    expect(await accounts.row('GET', `${PATH}?kind=odd`, bearer)).toEqual([
      400,
      'kind must be one of: change, login, send',
    ]);
    expect(await accounts.row('GET', `${PATH}?cursor=odd`, bearer)).toEqual([400, 'cursor is invalid']);
    expect(await accounts.row('GET', PATH)).toEqual([401, 'Invalid Authorization token']);
  });
});
