import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Account, NewAccount } from '../../src/modules/accounts/index.js';
import { accountsOf, type Accounts } from '../support/accounts.js';
import { type RunningApi, startApi } from '../support/api.js';

const PATH = '/v6/api/account/security';
const SENDS = ['/webhook/api/addbroadcastgsm.php', '/webhook/api/addbroadcastUnofficial.php'];
const BODY = { broadcast_name: 'n', brodcast_service: 'x', contacts: ['919812345678'], message: 'hello' };
const NO_TOKEN: [number, string] = [401, 'Invalid Authorization token'];
const DEFAULTS = {
  require_token: false,
  protect_reports: false,
  body_username_addresses: [],
  chosen_at: null,
  required_by_staff: false,
  sends_without_token: true,
  shows_without_token: true,
};

/** Open by default; the owner may close it. */
describe('what those may do who come without a token', () => {
  let api: RunningApi;
  let accounts: Accounts;
  const others: RunningApi[] = [];

  beforeAll(async () => {
    api = await startApi({ TRUST_PROXY: '1', BROADCAST_RATE_LIMIT: 0, OPEN_MISS_LIMIT: 0 });
    accounts = accountsOf(api);
  });
  afterAll(async () => {
    for (const other of others) await other.stop();
    await api.stop();
  });

  const owner = async (fields: Partial<NewAccount> = {}): Promise<{ account: Account; token: string }> => {
    const account = await accounts.account(fields);
    return { account, token: accounts.token(account) };
  };
  const choose = (token: string, body: unknown) => accounts.call('PATCH', PATH, { token, body });
  const shown = async (token: string): Promise<unknown> => (await accounts.call('GET', PATH, { token })).body['data'];
  /** What a send by username comes to: without credits and routes 400 or 503 where it is let in. */
  const sends = (username: string, more: { ip?: string; token?: string } = {}): Promise<(number | undefined)[]> =>
    Promise.all(
      SENDS.map(async (path) => (await accounts.call('POST', path, { ...more, body: { ...BODY, username } })).status),
    );
  const refusals = (username: string, ip?: string): Promise<[number, string | undefined][]> =>
    Promise.all(SENDS.map((path) => accounts.row('POST', path, { ...(ip && { ip }), body: { ...BODY, username } })));
  const isIn = (status: number | undefined): boolean => status === 400 || status === 503;

  it('stays open until the owner chooses, and a choice either way is kept', async () => {
    const { account, token } = await owner();
    expect(await shown(token)).toEqual(DEFAULTS);
    expect((await sends(account.username)).every(isIn)).toBe(true);

    const kept = await choose(token, {});
    expect([kept.status, kept.body.message]).toEqual([200, 'Security saved successfully']);
    expect(kept.body['data']).toEqual({ ...DEFAULTS, chosen_at: expect.stringMatching(/^\d{4}-/) as unknown });
    expect((await sends(account.username)).every(isIn)).toBe(true);

    const closed = await choose(token, { require_token: true });
    expect(closed.body['data']).toMatchObject({
      require_token: true,
      sends_without_token: false,
      shows_without_token: false,
    });
    expect(await refusals(account.username)).toEqual([NO_TOKEN, NO_TOKEN]);
    expect((await sends(account.username, { token })).every(isIn)).toBe(true);
    expect(await sends(account.username, { token: (await owner()).token })).toEqual([401, 401]);

    expect((await choose(token, { require_token: false })).body['data']).toMatchObject({ sends_without_token: true });
    expect((await sends(account.username)).every(isIn)).toBe(true);
    const log = await accounts.call('GET', '/v6/api/account/log', { token });
    const actions = (log.body['data'] as { action: string }[]).map(({ action }) => action);
    expect(actions.filter((action) => action === 'account.security')).toHaveLength(3);
  });

  it('may be bound to addresses, of both families, which X-Forwarded-For names only behind a trusted proxy', async () => {
    const { account, token } = await owner();
    const chosen = await choose(token, { body_username_addresses: ['203.0.113.7', '2001:db8::/32', '203.0.113.7/32'] });
    expect(chosen.body['data']).toMatchObject({
      body_username_addresses: ['203.0.113.7', '2001:db8::/32'],
      sends_without_token: true,
    });
    for (const ip of ['203.0.113.7', '::ffff:203.0.113.7', '2001:db8:1::5']) {
      expect((await sends(account.username, { ip })).every(isIn), ip).toBe(true);
    }
    for (const ip of ['203.0.113.8', '2001:db9::1', '127.0.0.1']) {
      expect(await refusals(account.username, ip), ip).toEqual([NO_TOKEN, NO_TOKEN]);
    }
    expect((await sends(account.username, { ip: '198.51.100.1', token })).every(isIn)).toBe(true);
    const direct = await startApi({ ...api.environment, TRUST_PROXY: '' }, api.database);
    others.push(direct);
    const forged = await accountsOf(direct).row('POST', String(SENDS[0]), {
      ip: '203.0.113.7',
      body: { ...BODY, username: account.username },
    });
    expect(forged).toEqual(NO_TOKEN);
    await choose(token, { body_username_addresses: [] });
    expect((await sends(account.username, { ip: '198.51.100.1' })).every(isIn)).toBe(true);
  });

  it('may see no templates and reports, while it sends', async () => {
    const { account, token } = await owner();
    const template = { template_name: 't', category: 'utility', template_body: 'Hello' };
    const made = await accounts.call('POST', '/webhook/api/createTemplates.php', { token, body: template });
    expect(made.status, JSON.stringify(made.body)).toBe(200);
    const list = `/webhook/api/templates.php?username=${account.username}`;
    expect((await accounts.call('GET', list)).status).toBe(200);
    await choose(token, { protect_reports: true });
    expect(await accounts.row('GET', list)).toEqual([404, 'Template not found for this username']);
    expect((await accounts.call('GET', list, { token })).status).toBe(200);
    expect((await sends(account.username)).every(isIn)).toBe(true);
  });

  it('stays closed where staff closed it', async () => {
    const { account, token } = await owner();
    const staff = await owner({ userType: 'super' });
    const path = `/v6/api/admin/accounts/${account.username}`;
    const closed = await accounts.call('PATCH', path, { token: staff.token, body: { require_token: true } });
    expect(closed.status, JSON.stringify(closed.body)).toBe(200);
    const lifted = await choose(token, { require_token: false, protect_reports: false });
    expect(lifted.body['data']).toMatchObject({
      require_token: false,
      required_by_staff: true,
      sends_without_token: false,
    });
    expect(await refusals(account.username)).toEqual([NO_TOKEN, NO_TOKEN]);
  });

  it('is chosen by the owner alone, not by a key or a person, and with sound values', async () => {
    const { token } = await owner();
    const key = await accounts.call('POST', '/v6/api/account/api-keys', { token, body: {} });
    const headers = { 'x-api-key': (key.body['data'] as { key: string }).key };
    expect((await accounts.call('PATCH', PATH, { headers, body: {} })).status).toBe(401);
    expect((await accounts.call('PATCH', PATH, { body: {} })).status).toBe(401);
    const person = { username: `p${Date.now()}`, password: 'Sunny-Day-7', firstname: 'P', lastname: 'Q' };
    await accounts.call('POST', '/v6/api/account/users', { token, body: person });
    const login = await accounts.call('POST', '/v1/auth/login', {
      body: { email_or_username: person.username, password: person.password },
    });
    expect(await accounts.row('PATCH', PATH, { token: String(login.body['token']), body: {} })).toEqual([
      403,
      'Permission denied',
    ]);
    const odd: [unknown, string][] = [
      [{ require_token: 'yes' }, 'require_token must be true or false'],
      [{ protect_reports: 1 }, 'protect_reports must be true or false'],
      [{ body_username_addresses: '10.0.0.1' }, 'body_username_addresses must be a list of texts'],
      [{ body_username_addresses: ['1.2.3.4', 'home'] }, 'body_username_addresses[1] is not an IP address or range'],
      [
        { body_username_addresses: Array.from({ length: 101 }, (_, i) => `10.0.0.${i}`) },
        'body_username_addresses must have at most 100 entries',
      ],
    ];
    for (const [body, text] of odd) expect(await accounts.row('PATCH', PATH, { token, body })).toEqual([400, text]);
    expect(await shown(token)).toEqual(DEFAULTS);
  });

  it('is counted for staff', async () => {
    const fresh = await startApi();
    const those = accountsOf(fresh);
    const staff = those.token(await those.account({ userType: 'admin' }));
    const tokens: string[] = [];
    for (let i = 0; i < 4; i++) tokens.push(those.token(await those.account()));
    await those.account({ userType: 'reseller' });
    const chosen = [{ require_token: true }, { body_username_addresses: ['10.0.0.0/8'] }, { protect_reports: true }];
    for (const [i, body] of chosen.entries()) {
      await those.call('PATCH', PATH, { token: String(tokens[i]), body });
    }
    const path = '/v6/api/admin/open-accounts';
    const counted = await those.call('GET', path, { token: staff });
    expect([counted.status, counted.body['data']]).toEqual([200, { accounts: 2, undecided: 1 }]);
    expect(await those.row('GET', path, { token: String(tokens[0]) })).toEqual([403, 'Forbidden']);
    const closed = await startApi({ ...fresh.environment, ALLOW_BODY_USERNAME: false }, fresh.database);
    const none = await accountsOf(closed).call('GET', path, { token: staff });
    expect(none.body['data']).toEqual({ accounts: 0, undecided: 0 });
    await closed.stop();
    await fresh.stop();
  });
});
