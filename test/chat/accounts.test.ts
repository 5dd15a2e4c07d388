import { createHmac } from 'node:crypto';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ChatAccounts, RouteDirectory } from '../../src/modules/providers/index.js';
import { Routing } from '../../src/modules/routing/index.js';
import { accountsOf, type Accounts, type Answer } from '../support/accounts.js';
import { type RunningApi, startApi } from '../support/api.js';

const PATH = '/v6/api/admin/chat-accounts';
const SECRETS = { token: 'graph-access-token', app_secret: 'the-app-secret', verify_token: 'the-verify-token' };
const ACCOUNT = {
  provider: 'meta_cloud',
  number: 4915112345678,
  url: 'https://graph.example/v21.0/106540352242922/messages',
  ...SECRETS,
  app_id: '634974688087057',
  waba_id: 102290129340398,
  messages_per_second: 80,
};

describe('chat accounts', () => {
  let api: RunningApi;
  let accounts: Accounts;
  let token: string;
  let username: string;
  let accountId: number;

  beforeAll(async () => {
    api = await startApi({ PUBLIC_URL: 'https://chat.example/' });
    accounts = accountsOf(api);
    token = accounts.token(await accounts.account({ userType: 'super' }));
  });
  afterAll(() => api.stop());

  const fresh = async (): Promise<void> => {
    ({ username, id: accountId } = await accounts.account());
  };
  const path = (query = ''): string => `${PATH}/${username}${query}`;
  const put = (body: unknown, query = ''): Promise<Answer> => accounts.call('PUT', path(query), { token, body });
  const get = (query = ''): Promise<Answer> => accounts.call('GET', path(query), { token });
  const chatAccounts = (): ChatAccounts => api.app.get(ChatAccounts, { strict: false });

  it('are created, shown without secrets, changed field by field and removed, with an entry in the audit log each', async () => {
    await fresh();
    expect(await accounts.row('GET', path(), { token })).toEqual([404, 'Chat account not found']);
    const made = await put(ACCOUNT);
    expect([made.status, made.body.message]).toEqual([200, 'Chat account saved successfully']);
    const { id, ...data } = made.body['data'] as Record<string, unknown> & { id: number };
    expect(data).toEqual({
      username,
      channel: 'official',
      provider: 'meta_cloud',
      number: '4915112345678',
      url: ACCOUNT.url,
      guarded: false,
      phone_number_id: '106540352242922',
      token_set: true,
      app_id: '634974688087057',
      app_secret_set: true,
      verify_token_set: true,
      bmid: null,
      waba_id: '102290129340398',
      messages_per_second: 80,
      callback_url: `https://chat.example/provider/chat/${id}`,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/) as unknown,
      updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/) as unknown,
    });

    expect((await put({ number: '1', waba_id: null, app_id: '', messages_per_second: null })).status).toBe(200);
    expect(await chatAccounts().find(accountId, 'official')).toMatchObject({
      id,
      number: '1',
      wabaId: null,
      appId: null,
      messagesPerSecond: null,
      token: SECRETS.token,
      appSecret: SECRETS.app_secret,
      verifyToken: SECRETS.verify_token,
      url: ACCOUNT.url,
    });
    const shown = await get();
    expect(shown.body['data']).toMatchObject({ id, number: '1', waba_id: null, app_id: null });
    expect((await put({ token: null })).body['data']).toMatchObject({ token_set: false, app_secret_set: true });

    expect(await accounts.row('DELETE', path(), { token })).toEqual([200, 'Chat account deleted successfully']);
    expect(await accounts.row('DELETE', path(), { token })).toEqual([404, 'Chat account not found']);
    expect(await chatAccounts().byId(id)).toBeNull();

    const audit: { action: string; details: string }[] = await api.database.dataSource.query(
      'SELECT action, details FROM audit_log WHERE subject = ? ORDER BY id',
      [username],
    );
    expect(audit.map(({ action }) => action).filter((action) => action.startsWith('chat_account'))).toEqual([
      'chat_account.put',
      'chat_account.put',
      'chat_account.put',
      'chat_account.delete',
    ]);
    // By the names that the API has for them.
    const [first, second] = audit
      .filter(({ action }) => action === 'chat_account.put')
      .map(({ details }) => JSON.parse(details) as { set: string[]; cleared: string[] });
    expect(first?.set.toSorted()).toEqual(Object.keys(ACCOUNT).toSorted());
    expect(second).toMatchObject({ set: ['number'], cleared: ['app_id', 'waba_id', 'messages_per_second'] });
    const told = JSON.stringify([made.body, shown.body, audit]);
    for (const secret of Object.values(SECRETS)) expect(told).not.toContain(secret);
  });

  it.each([
    ['host', 'https://evil.example/v21.0/106540352242922/messages'],
    ['port', 'https://graph.example:8443/v21.0/106540352242922/messages'],
    ['scheme', 'http://graph.example/v21.0/106540352242922/messages'],
    ['base URL', 'https://graph.example/elsewhere/106540352242922/messages'],
  ])('keep their token at their address: another %s wants it again', async (_name, url) => {
    await fresh();
    await put(ACCOUNT);
    const refused = [400, 'token is required with a new address'];
    expect(await accounts.row('PUT', path(), { token, body: { url } })).toEqual(refused);
    expect(await chatAccounts().find(accountId, 'official')).toMatchObject({ url: ACCOUNT.url, token: SECRETS.token });
    // Nor by a detour over no address at all.
    expect((await put({ url: null })).status).toBe(200);
    expect(await accounts.row('PUT', path(), { token, body: { url } })).toEqual(refused);
    expect((await put({ url, token: 'given-again' })).status).toBe(200);
    expect(await chatAccounts().find(accountId, 'official')).toMatchObject({ url, token: 'given-again' });
    expect((await put({ token: null })).status).toBe(200);
    expect((await put({ url: ACCOUNT.url })).status).toBe(200);
  });

  it('keep their token for another number at the same address', async () => {
    await fresh();
    await put(ACCOUNT);
    expect((await put({ url: 'https://graph.example/v21.0/777' })).status).toBe(200);
    expect(await chatAccounts().find(accountId, 'official')).toMatchObject({ token: SECRETS.token });
  });

  it('take callbacks by the secrets before for 24 hours after a change, unless those were cleared', async () => {
    await fresh();
    const { id } = (await put(ACCOUNT)).body['data'] as { id: number };
    const body = JSON.stringify({ entry: [] });
    const signed = async (secret: string): Promise<number> => {
      const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
      const headers = { 'x-hub-signature-256': signature };
      return (await accounts.call('POST', `/provider/chat/${id}`, { headers, body })).status;
    };
    const verified = async (secret: string): Promise<number> => {
      const query = new URLSearchParams({ 'hub.mode': 'subscribe', 'hub.verify_token': secret, 'hub.challenge': '1' });
      return (await fetch(`${api.url}/provider/chat/${id}?${query.toString()}`)).status;
    };
    const codes = async (signs: string[], verifies: string[]): Promise<number[][]> => [
      await Promise.all(signs.map(signed)),
      await Promise.all(verifies.map(verified)),
    ];
    await put({ app_secret: 'second-secret', verify_token: 'second-token' });
    const [signs, verifies] = [
      [SECRETS.app_secret, 'second-secret', 'third-secret'],
      [SECRETS.verify_token, 'second-token', 'third-token'],
    ];
    const both = (...expected: number[]): number[][] => [expected, expected];
    expect(await codes(signs, verifies)).toEqual(both(200, 200, 403));
    await put({ app_secret: 'third-secret', verify_token: 'third-token', number: '5' });
    await put({ number: '6' });
    expect(await codes(signs, verifies)).toEqual(both(403, 200, 200));
    const later = Date.now() + 24 * 3_600_000 + 1_000;
    vi.useFakeTimers({ now: later, toFake: ['Date'] });
    expect(await codes(signs, verifies)).toEqual(both(403, 403, 200));
    vi.useRealTimers();
    await put({ app_secret: null, verify_token: null });
    expect(await codes(signs, verifies)).toEqual(both(403, 403, 403));
    await put({ app_secret: 'second-secret', verify_token: 'second-token' });
    expect(await codes(signs, verifies)).toEqual(both(403, 200, 403));
  });

  it('keep their secrets sealed', async () => {
    await fresh();
    await put(ACCOUNT);
    const rows: unknown[] = await api.database.dataSource.query('SELECT * FROM routes WHERE account_id = ?', [
      accountId,
    ]);
    expect(rows).toHaveLength(1);
    for (const part of [...Object.values(SECRETS), 'graph.example']) expect(JSON.stringify(rows)).not.toContain(part);
  });

  it('have one connection of each kind', async () => {
    await fresh();
    await put(ACCOUNT);
    await put({ ...ACCOUNT, channel: 'branded', number: '2' });
    await put({ provider: 'crm' }, '?channel=branded');
    expect((await get()).body['data']).toMatchObject({ channel: 'official', provider: 'meta_cloud' });
    expect((await get('?channel=branded')).body['data']).toMatchObject({
      channel: 'branded',
      provider: 'crm',
      number: '2',
    });
    expect(await accounts.row('DELETE', path('?channel=branded'), { token })).toEqual([
      200,
      'Chat account deleted successfully',
    ]);
    expect((await get()).status).toBe(200);
  });

  it('take any text as URL, and may miss everything but the provider', async () => {
    await fresh();
    expect((await put({ provider: 'other', url: 'call us' })).body['data']).toMatchObject({
      url: 'call us',
      phone_number_id: null,
      token_set: false,
    });
  });

  it('are created once by many at the same time', async () => {
    await fresh();
    const answers = await Promise.all(Array.from({ length: 10 }, () => put(ACCOUNT)));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200));
    expect(new Set(answers.map(({ body }) => (body['data'] as { id: number }).id)).size).toBe(1);
  });

  it('are no routes of the operator', async () => {
    await fresh();
    const { body } = await put(ACCOUNT);
    const { id } = body['data'] as { id: number };
    const name = `chat-${accountId}-official`;
    expect(((await accounts.call('GET', '/v6/api/admin/routes', { token })).body['data'] as unknown[]).length).toBe(0);
    for (const route of [name, encodeURIComponent(`chat/${accountId}/official`)]) {
      expect(await accounts.row('GET', `/v6/api/admin/routes/${route}`, { token })).toEqual([404, 'Route not found']);
      expect(await accounts.row('DELETE', `/v6/api/admin/routes/${route}`, { token })).toEqual([
        404,
        'Route not found',
      ]);
    }
    const routes = api.app.get(RouteDirectory, { strict: false });
    expect(await routes.byId(id)).toMatchObject({ id, channel: 'chat', driver: 'meta_cloud', messagesPerSecond: 80 });
    const routing = api.app.get(Routing, { strict: false });
    expect(await routing.planFor({ kind: 'sms', accountId, service: `chat/${accountId}/official` })).toBeNull();
    expect(
      await accounts.row('PUT', `/v6/api/admin/routes/${name}`, {
        token,
        body: { channel: 'sms', driver: 'meta_cloud', config: {} },
      }),
    ).toEqual([400, 'driver meta_cloud carries chat, not sms']);
  });

  it('stay while campaigns wait for them', async () => {
    await fresh();
    const { id } = (await put(ACCOUNT)).body['data'] as { id: number };
    const { dataSource } = api.database;
    await dataSource.query(
      `INSERT INTO campaigns SET id = 1, account_id = 1, request_id = 'R1', channel = 'template', state = 'running', broadcast_name = 'x',
         service = '', route_id = ?, content = '{}', balance = 'chat_utility_credits', unit_credits = 1, total_rows = 1, open_lanes = 1,
         refunded_credits = 0, created_at = NOW(3)`,
      [id],
    );
    const busy = [409, 'Chat account is used by unfinished campaigns'];
    expect(await accounts.row('DELETE', path(), { token })).toEqual(busy);
    await dataSource.query('UPDATE campaigns SET open_lanes = 0 WHERE id = 1');
    expect((await accounts.row('DELETE', path(), { token }))[0]).toBe(200);
  });

  it.each<[string, unknown, unknown]>([
    ['number', '1'.repeat(64), '1'.repeat(65)],
    ['url', 'x'.repeat(2048), 'x'.repeat(2049)],
    ['token', 'x'.repeat(4096), 'x'.repeat(4097)],
    ['app_id', 'x'.repeat(64), 'x'.repeat(65)],
    ['app_secret', 'x'.repeat(256), 'x'.repeat(257)],
    ['verify_token', 'x'.repeat(256), 'x'.repeat(257)],
    ['bmid', 'x'.repeat(64), 'x'.repeat(65)],
    ['waba_id', 'x'.repeat(64), 'x'.repeat(65)],
    ['messages_per_second', 1_000_000, 1_000_001],
    ['messages_per_second', 1, 0],
  ])('have a limit for %s', async (field, most, beyond) => {
    await fresh();
    expect((await put({ ...ACCOUNT, [field]: most })).status).toBe(200);
    const { status, body } = await put({ ...ACCOUNT, [field]: beyond });
    expect([status, String(body.message).split(' ')[0]]).toEqual([400, field]);
  });

  it.each<[unknown, string, [number, string]]>([
    [{ number: '1' }, '', [400, 'provider is required']],
    [{ provider: '' }, '', [400, 'provider is required']],
    [{ provider: 'pigeon' }, '', [400, 'provider must be one of: meta_cloud, crm, reseller, other']],
    [{ ...ACCOUNT, channel: 'unofficial' }, '', [400, 'channel must be official or branded']],
    [{ ...ACCOUNT, channel: ['official'] }, '', [400, 'channel must be official or branded']],
    [ACCOUNT, '?channel=both', [400, 'channel must be official or branded']],
    [{ ...ACCOUNT, number: {} }, '', [400, 'number is invalid']],
    [{ ...ACCOUNT, url: true }, '', [400, 'url is invalid']],
    [{ ...ACCOUNT, url: 'x'.repeat(2049) }, '', [400, 'url is invalid']],
    [{ ...ACCOUNT, token: 'two\r\nlines' }, '', [400, 'token is invalid']],
    [{ ...ACCOUNT, token: 'x'.repeat(4097) }, '', [400, 'token is invalid']],
    [{ ...ACCOUNT, app_secret: [] }, '', [400, 'app_secret is invalid']],
    [{ ...ACCOUNT, bmid: 'schlüssel' }, '', [400, 'bmid is invalid']],
    [
      { ...ACCOUNT, messages_per_second: 0.5 },
      '',
      [400, 'messages_per_second must be a whole number from 1 to 1000000'],
    ],
  ])('refuse %j%s', async (body, query, row) => {
    await fresh();
    expect(await accounts.row('PUT', path(query), { token, body })).toEqual(row);
    expect(await api.app.get(DataSource).query('SELECT id FROM routes WHERE account_id = ?', [accountId])).toEqual([]);
  });

  it('are for staff alone, and for accounts that exist', async () => {
    await fresh();
    const client = accounts.token(await accounts.account());
    const reseller = accounts.token(await accounts.account({ userType: 'reseller' }));
    for (const other of [client, reseller]) {
      expect(await accounts.row('GET', path(), { token: other })).toEqual([403, 'Forbidden']);
      expect(await accounts.row('PUT', path(), { token: other, body: ACCOUNT })).toEqual([403, 'Forbidden']);
    }
    expect(await accounts.row('GET', path())).toEqual([401, 'Invalid Authorization token']);
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const call = { token, ...(method === 'PUT' && { body: ACCOUNT }) };
      expect(await accounts.row(method, `${PATH}/nobody`, call)).toEqual([404, 'Account not found']);
    }
    expect(await accounts.row('GET', path('?channel=x'), { token })).toEqual([
      400,
      'channel must be official or branded',
    ]);
    expect(await accounts.row('DELETE', path('?channel=x'), { token })).toEqual([
      400,
      'channel must be official or branded',
    ]);
    expect(await accounts.row('POST', path(), { token })).toEqual([405, 'Method not allowed']);
  });
});
