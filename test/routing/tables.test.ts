import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RouteDirectory } from '../../src/modules/providers/index.js';
import type { Account } from '../../src/modules/accounts/index.js';
import { accountsOf, type Accounts } from '../support/accounts.js';
import { type RunningApi, startApi } from '../support/api.js';

const PATH = '/v6/api/admin/routing';
const HTTP = { url: 'http://127.0.0.1:9/send', body: { to: '{{to}}' } };
const RULE = { prefixes: ['91'], routes: ['one'] };

type Rule = Record<string, unknown>;

let api: RunningApi;
let accounts: Accounts;
let token: string;
/** an account that there is, by a name that stands in tables of cases */
const STAFF = 'routing-staff';
let jane: Account;

const call = (method: string, path: string, body?: unknown, as = token) =>
  accounts.call(method, path, { token: as, ...(body === undefined ? {} : { body }) });
const put = (name: string, rules: unknown, channel: unknown = 'sms') =>
  call('PUT', `${PATH}/${name}`, { channel, rules });
const refusal = async (name: string, rules: unknown, channel: unknown = 'sms'): Promise<unknown> => {
  const { status, body } = await put(name, rules, channel);
  return [status, body.message];
};
const explain = async (query: Record<string, string>): Promise<Record<string, unknown>> => {
  const asked = new URLSearchParams({ account: jane.username, number: '919876543210', ...query });
  return (await call('GET', `${PATH}/explain?${asked.toString()}`)).body['data'] as Record<string, unknown>;
};
const change = (account: Account, body: unknown, as = token) =>
  call('PATCH', `/v6/api/admin/accounts/${account.username}`, body, as);

beforeAll(async () => {
  api = await startApi();
  accounts = accountsOf(api);
  token = accounts.token(await accounts.account({ userType: 'super', username: STAFF }));
  jane = await accounts.account();
  for (const [name, channel] of [
    ['one', 'sms'],
    ['two', 'sms'],
    ['three', 'sms'],
    ['chat-1', 'unofficial'],
  ]) {
    await call('PUT', `/v6/api/admin/routes/${name}`, { channel, driver: 'http', config: HTTP });
  }
  await call('PUT', '/v6/api/admin/routes/standard', {
    channel: 'sms',
    driver: 'http',
    config: HTTP,
    is_default: true,
  });
});
afterAll(async () => api.stop());

describe('routing tables', () => {
  it('are created, shown, listed, replaced and removed, with an entry in the audit log each', async () => {
    const rules: Rule[] = [
      { prefixes: ['91', '880'], accounts: [jane.username], categories: ['otp', '2fa'], routes: ['one', 'two'] },
      { prefixes: [], routes: ['three'] },
    ];
    const shown = [rules[0], { prefixes: [], accounts: null, categories: null, routes: ['three'] }];
    const created = await put('life', rules);
    expect(created).toMatchObject({
      status: 200,
      body: {
        success: true,
        message: 'Routing table saved successfully',
        data: { name: 'life', channel: 'sms', rules: shown, created_at: expect.any(String) as unknown },
      },
    });
    expect((await call('GET', `${PATH}/life`)).body).toEqual({ success: true, data: created.body['data'] });
    await put('attic', [{ prefixes: [], routes: ['chat-1'] }], 'unofficial');
    const list = await call('GET', `${PATH}?limit=1`);
    expect(list.body).toMatchObject({
      total: 2,
      data: [{ name: 'attic', channel: 'unofficial', rules: 1, prefixes: 0 }],
    });
    const rest = await call('GET', `${PATH}?cursor=${String(list.body['next_cursor'])}`);
    expect(rest.body['data']).toMatchObject([{ name: 'life', channel: 'sms', rules: 2, prefixes: 2 }]);

    const replaced = await put('life', []);
    expect(replaced.body['data']).toMatchObject({ rules: [] });
    for (const name of ['life', 'attic']) {
      expect(await accounts.row('DELETE', `${PATH}/${name}`, { token })).toEqual([
        200,
        'Routing table deleted successfully',
      ]);
    }
    expect(await accounts.row('DELETE', `${PATH}/life`, { token })).toEqual([404, 'Routing table not found']);
    expect(await accounts.row('GET', `${PATH}/life`, { token })).toEqual([404, 'Routing table not found']);
    const entries: { action: string; details: string }[] = await api.database.dataSource.query(
      "SELECT action, details FROM audit_log WHERE subject = 'life' ORDER BY id",
    );
    expect(entries.map(({ action }) => action)).toEqual(['routing.put', 'routing.put', 'routing.delete']);
    expect(JSON.parse(entries[0]?.details ?? '')).toMatchObject({
      channel: 'sms',
      prefixes: 2,
      rules: [{ routes: ['one', 'two'] }, {}],
    });
  });

  it('are for staff alone', async () => {
    const reseller = accounts.token(await accounts.account({ userType: 'reseller' }));
    for (const [method, path] of [
      ['GET', PATH],
      ['GET', `${PATH}/explain`],
      ['GET', `${PATH}/x`],
      ['PUT', `${PATH}/x`],
      ['DELETE', `${PATH}/x`],
    ] as const) {
      expect(await accounts.row(method, path, { token: reseller })).toEqual([403, 'Forbidden']);
      expect((await accounts.row(method, path))[0]).toBe(401);
    }
  });

  it.each<[string, unknown, unknown, string]>([
    ['no name', [RULE], 'sms', 'name is invalid'],
    ['explain', [RULE], 'sms', 'name is invalid'],
    ['a'.repeat(65), [RULE], 'sms', 'name is invalid'],
    ['t', [RULE], 'chat', 'channel must be one of: sms, unofficial, voice'],
    ['t', [RULE], null, 'channel must be one of: sms, unofficial, voice'],
    ['t', undefined, 'sms', 'rules must be an array'],
    ['t', {}, 'sms', 'rules must be an array'],
    ['t', Array(1_001).fill(RULE), 'sms', 'rules must have at most 1000 entries'],
    ['t', [RULE, null], 'sms', 'rules[1] is invalid'],
    ['t', [{ routes: ['one'] }], 'sms', 'rules[0].prefixes must be a list of texts'],
    ['t', [{ ...RULE, prefixes: [91] }], 'sms', 'rules[0].prefixes must be a list of texts'],
    ['t', [{ ...RULE, prefixes: Array(101).fill('91') }], 'sms', 'rules[0].prefixes must have at most 100 entries'],
    ['t', [{ ...RULE, prefixes: ['91', '+44'] }], 'sms', 'rules[0].prefixes[1] must be 1 to 15 digits'],
    ['t', [{ ...RULE, prefixes: ['1'.repeat(16)] }], 'sms', 'rules[0].prefixes[0] must be 1 to 15 digits'],
    ['t', [{ ...RULE, prefixes: [''] }], 'sms', 'rules[0].prefixes[0] must be 1 to 15 digits'],
    ['t', [{ ...RULE, accounts: 'jane' }], 'sms', 'rules[0].accounts must be a list of texts'],
    ['t', [{ ...RULE, accounts: [] }], 'sms', 'rules[0].accounts must be a non-empty array'],
    ['t', [{ ...RULE, accounts: Array(101).fill('x') }], 'sms', 'rules[0].accounts must have at most 100 entries'],
    ['t', [{ ...RULE, accounts: ['nobody', STAFF] }], 'sms', 'Unknown accounts: nobody'],
    ['t', [{ ...RULE, categories: [] }], 'sms', 'rules[0].categories must be a non-empty array'],
    [
      't',
      [{ ...RULE, categories: ['OTP'] }],
      'sms',
      'rules[0].categories[0] must be a lower-case word of at most 32 characters',
    ],
    [
      't',
      [{ ...RULE, categories: ['a'.repeat(33)] }],
      'sms',
      'rules[0].categories[0] must be a lower-case word of at most 32 characters',
    ],
    ['t', [{ prefixes: [] }], 'sms', 'rules[0].routes must be a list of texts'],
    ['t', [{ prefixes: [], routes: [] }], 'sms', 'rules[0].routes must have 1 to 5 entries'],
    [
      't',
      [{ prefixes: [], routes: ['1', '2', '3', '4', '5', '6'] }],
      'sms',
      'rules[0].routes must have 1 to 5 entries',
    ],
    ['t', [{ prefixes: [], routes: ['one', 'one'] }], 'sms', 'rules[0].routes names a route twice'],
    ['t', [RULE, { ...RULE, routes: ['gone', 'one', 'two '] }], 'sms', 'Unknown routes: gone, two '],
    ['t', [{ ...RULE, routes: ['one', 'chat-1'] }], 'sms', 'Routes of another channel: chat-1'],
  ])('refuse %s %j of %s', async (name, rules, channel, message) => {
    expect(await refusal(encodeURIComponent(name), rules, channel)).toEqual([400, message]);
    expect((await call('GET', PATH)).body['total']).toBe(0);
  });

  it('take as much as the limits say', async () => {
    const rules = Array.from({ length: 1_000 }, (_, at) => ({
      prefixes: Array.from({ length: 100 }, (_none, i) => String(10 ** 14 + at * 100 + i)),
      routes: ['one', 'two', 'three', 'standard'],
    }));
    for (const name of ['a', 'b']) expect((await put(name, rules)).status).toBe(200);
    expect(await refusal('c', [RULE])).toEqual([409, 'At most 200000 prefixes are allowed']);
    expect((await put('b', [RULE])).status).toBe(200);
    const others = Array.from({ length: 18 }, (_, at) => `t${at}`);
    for (const name of others) expect((await put(name, [RULE])).status).toBe(200);
    expect(await refusal('c', [RULE])).toEqual([409, 'At most 20 routing tables are allowed']);
    expect((await put('t0', [])).status).toBe(200);
    expect(await explain({ number: '100000000099999' })).toMatchObject({
      decided_by: 'rule',
      candidates: [{ table: 'a', rule: 1_000 }],
    });
    for (const name of ['a', 'b', ...others]) await call('DELETE', `${PATH}/${name}`);
  });

  it('let as many in as may be, of many requests at once', async () => {
    const names = Array.from({ length: 24 }, (_, at) => `r${at}`);
    const answers = await Promise.all(names.map((name) => put(name, [RULE])));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(20);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(4);
    await Promise.all(names.map((name) => call('DELETE', `${PATH}/${name}`)));
  });

  it('keep the routes that they name from being removed', async () => {
    const route = '/v6/api/admin/routes/spare';
    await call('PUT', route, { channel: 'sms', driver: 'http', config: HTTP });
    await put('spares', [{ prefixes: ['44'], routes: ['one', 'spare'] }]);
    expect(await accounts.row('DELETE', route, { token })).toEqual([409, 'Route is named by routing table spares']);
    await call('DELETE', `${PATH}/spares`);
    expect((await accounts.row('DELETE', route, { token }))[0]).toBe(200);
    expect(await refusal('spares', [{ prefixes: ['44'], routes: ['one', 'spare'] }])).toEqual([
      400,
      'Unknown routes: spare',
    ]);
  });
});

describe('an explanation', () => {
  it('says which rule won, and why the others lost', async () => {
    await put('b', [
      { prefixes: ['9'], routes: ['one'] },
      { prefixes: ['9198'], accounts: [STAFF], routes: ['one'] },
      { prefixes: ['9198', '44'], categories: ['otp'], routes: ['two'] },
      { prefixes: [], routes: ['three'] },
      { prefixes: ['44'], routes: ['one'] },
    ]);
    await put('a', [
      { prefixes: ['91', '9198'], routes: ['two', 'three'] },
      { prefixes: ['9'], accounts: [jane.username], routes: ['three'] },
    ]);
    const lost = (table: string, rule: number, reason = 'another rule comes first') => ({
      table,
      rule,
      reason,
      outcome: 'lost',
    });
    expect(await explain({})).toMatchObject({
      account: jane.username,
      channel: 'sms',
      number: '919876543210',
      calling_code: '91',
      service: null,
      category: null,
      allowed_routes: null,
      default_route: 'standard',
      decided_by: 'rule',
      routes: [
        { name: 'two', health: 'unknown', last_error: null },
        { name: 'three', health: 'unknown', last_error: null },
      ],
      candidates: [
        lost('b', 2, 'is for other accounts'),
        lost('b', 3, 'is for other categories'),
        { table: 'a', rule: 1, prefix: '9198', outcome: 'won', reason: 'comes first', routes: ['two', 'three'] },
        { ...lost('a', 2), prefix: '9', names_accounts: true },
        lost('b', 1),
        { ...lost('b', 4), prefix: '' },
      ],
      candidates_total: 6,
    });
    expect(await explain({ category: 'otp' })).toMatchObject({ routes: [{ name: 'two' }], category: 'otp' });
    expect(await explain({ number: '+92 3' })).toMatchObject({
      number: '923',
      routes: [{ name: 'three' }],
      candidates: [{ table: 'a', rule: 2 }, { table: 'b', rule: 1 }, {}],
    });
    expect(await explain({ number: '1' })).toMatchObject({ decided_by: 'rule', routes: [{ name: 'three' }] });
    expect(await explain({ service: 'one' })).toMatchObject({
      decided_by: 'service',
      routes: [{ name: 'one' }],
      candidates: Array(6).fill({ outcome: 'lost', reason: 'the request names a route' }) as unknown[],
    });
    expect(await explain({ service: 'chat-1' })).toMatchObject({ decided_by: 'rule' });
    expect(await explain({ channel: 'unofficial' })).toMatchObject({
      decided_by: 'none',
      routes: [],
      candidates: [],
      default_route: null,
    });
  });

  it('shows what allowed_routes takes away', async () => {
    expect((await change(jane, { allowed_routes: ['three', 'standard', 'three'] })).body['data']).toMatchObject({
      allowed_routes: ['three', 'standard'],
    });
    expect(await explain({})).toMatchObject({
      allowed_routes: ['three', 'standard'],
      routes: [{ name: 'three' }],
      candidates: [{}, { reason: 'is for other categories' }, { usable_routes: ['three'] }, {}, {}, {}],
    });
    expect(await explain({ category: 'otp' })).toMatchObject({
      candidates: [{}, { reason: 'none of its routes may be used' }, { outcome: 'won' }, {}, {}, {}],
    });
    expect(await explain({ service: 'one' })).toMatchObject({ decided_by: 'rule', routes: [{ name: 'three' }] });
    await change(jane, { allowed_routes: ['standard'] });
    expect(await explain({})).toMatchObject({ decided_by: 'default', routes: [{ name: 'standard' }] });
    await change(jane, { allowed_routes: [] });
    expect(await explain({})).toMatchObject({ decided_by: 'none', routes: [] });
    await change(jane, { allowed_routes: null });
    expect(await explain({})).toMatchObject({ allowed_routes: null, routes: [{ name: 'two' }, {}] });
  });

  it('shows the one that decided, and a hundred at the most', async () => {
    await put(
      'many',
      Array.from({ length: 300 }, () => ({ prefixes: ['71'], accounts: [STAFF], routes: ['one'] })),
    );
    const { candidates, candidates_total: total } = await explain({ number: '7123' });
    expect(candidates).toHaveLength(100);
    expect(total).toBe(301);
    expect((candidates as unknown[]).at(-1)).toMatchObject({ table: 'b', rule: 4, outcome: 'won' });
  });

  it.each([
    ['number=91', 400, 'account is required'],
    ['account=user1', 400, 'number is required'],
    ['account=user1&number=abc', 400, 'number is invalid'],
    ['account=user1&number=919876543210.0', 400, 'number is invalid'],
    [`account=user1&number=${'1'.repeat(21)}`, 400, 'number is invalid'],
    ['account=user1&number=91&channel=chat', 400, 'channel must be one of: sms, unofficial, voice'],
    ['account=user1&number=91&category=Big', 400, 'category is invalid'],
    ['account=nobody&number=91', 404, 'Account not found'],
  ])('refuses %s', async (query, status, message) => {
    expect(await accounts.row('GET', `${PATH}/explain?${query}`, { token })).toEqual([status, message]);
  });
});

describe('an account', () => {
  it.each([
    [{ allowed_routes: 'one' }, 'allowed_routes must be a list of texts'],
    [{ allowed_routes: [1] }, 'allowed_routes must be a list of texts'],
    [{ allowed_routes: Array(101).fill('one') }, 'allowed_routes must have at most 100 entries'],
    [{ allowed_routes: ['one', 'gone'] }, 'Unknown routes: gone'],
    [{ number_check: 'maybe' }, 'number_check must be one of: refuse, warn, off'],
  ])('is refused %j', async (body, message) => {
    const answer = await change(jane, body);
    expect([answer.status, answer.body.message]).toEqual([400, message]);
  });

  it('shows both settings, and a reseller sets one of them', async () => {
    const reseller = await accounts.account({ userType: 'reseller' });
    const client = await accounts.account({ parentId: reseller.id });
    const as = accounts.token(reseller);
    const before = await call('GET', `/v6/api/admin/accounts/${client.username}`, undefined, as);
    expect(before.body['data']).toMatchObject({ allowed_routes: null, number_check: 'warn' });
    expect((await change(client, { number_check: 'off' }, as)).body['data']).toMatchObject({ number_check: 'off' });
    for (const allowed of [null, ['one'], ['gone']]) {
      const refused = await change(client, { allowed_routes: allowed }, as);
      expect([refused.status, refused.body.message]).toEqual([403, 'Forbidden']);
    }
    await change(client, { allowed_routes: ['one'], number_check: 'refuse' });
    const after = await call('GET', `/v6/api/admin/accounts?search=${client.username}`, undefined, as);
    expect(after.body['data']).toMatchObject([{ allowed_routes: ['one'], number_check: 'refuse' }]);
  });

  it('keeps the name of a route that is removed, and has none then', async () => {
    const route = '/v6/api/admin/routes/fleeting';
    await call('PUT', route, { channel: 'sms', driver: 'http', config: HTTP });
    const account = await accounts.account();
    await change(account, { allowed_routes: ['fleeting'] });
    expect(await explain({ account: account.username, service: 'fleeting' })).toMatchObject({ decided_by: 'service' });
    await call('DELETE', route);
    api.app.get(RouteDirectory, { strict: false }).forget();
    expect(await explain({ account: account.username })).toMatchObject({
      decided_by: 'none',
      allowed_routes: ['fleeting'],
    });
  });
});
