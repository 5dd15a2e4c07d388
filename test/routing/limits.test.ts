import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Account, AccountDirectory } from '../../src/modules/accounts/index.js';
import { accountsOf, type Accounts } from '../support/accounts.js';
import { type RunningApi, startApi } from '../support/api.js';

const PATH = '/v6/api/admin/routing';
const HTTP = { url: 'http://127.0.0.1:9/send', body: { to: '{{to}}' } };
const NUMBER = '919876543210';
/** As many as an account may be allowed, of names as long as a route may have. */
const NAMES = Array.from({ length: 100 }, (_, at) => `${'r'.repeat(61)}${String(at).padStart(3, '0')}`);
const FIVE = NAMES.slice(0, 5);
const LONGEST_NAME = 'a.b-c_D9'.repeat(8);
const LONGEST_CATEGORY = 'otp-'.repeat(8);

/** What is accepted is what stands just within the limits. */
describe('routing takes as much as the limits say', () => {
  let api: RunningApi;
  let accounts: Accounts;
  let token: string;
  let jane: Account;

  const call = (method: string, path: string, body?: unknown) =>
    accounts.call(method, path, { token, ...(body !== undefined && { body }) });
  const put = (name: string, rules: unknown) => call('PUT', `${PATH}/${name}`, { channel: 'sms', rules });
  const explain = async (query: Record<string, string> = {}): Promise<unknown> => {
    const asked = new URLSearchParams({ account: jane.username, number: NUMBER, ...query });
    return (await call('GET', `${PATH}/explain?${asked.toString()}`)).body['data'];
  };
  const named = (names: readonly string[]): unknown[] =>
    names.map((name) => expect.objectContaining({ name }) as unknown);

  beforeAll(async () => {
    api = await startApi({ USER_RATE_LIMIT: 0 });
    accounts = accountsOf(api);
    token = accounts.token(await accounts.account({ userType: 'super' }));
    jane = await accounts.account();
    for (const name of NAMES) {
      const { status } = await call('PUT', `/v6/api/admin/routes/${name}`, {
        channel: 'sms',
        driver: 'http',
        config: HTTP,
      });
      expect(status).toBe(200);
    }
  }, 120_000);
  afterAll(() => api.stop());

  it('5 routes of a rule, in their order', async () => {
    const rule = { prefixes: ['91'], routes: FIVE.toReversed() };
    const saved = await put('five', [rule]);
    expect(saved).toMatchObject({ status: 200, body: { data: { rules: [rule] } } });
    expect(await explain()).toMatchObject({ decided_by: 'rule', routes: named(FIVE.toReversed()) });
    const over = await put('five', [{ ...rule, routes: NAMES.slice(0, 6) }]);
    expect([over.status, over.body.message]).toEqual([400, 'rules[0].routes must have 1 to 5 entries']);
    // what was refused has replaced nothing
    expect(await explain()).toMatchObject({ routes: named(FIVE.toReversed()) });
    await call('DELETE', `${PATH}/five`);
  });

  it('64 characters of the name of a table', async () => {
    expect(LONGEST_NAME).toHaveLength(64);
    const saved = await put(LONGEST_NAME, [{ prefixes: ['91'], routes: FIVE.slice(0, 1) }]);
    expect(saved).toMatchObject({ status: 200, body: { data: { name: LONGEST_NAME } } });
    expect((await call('GET', `${PATH}/${LONGEST_NAME}`)).body).toMatchObject({ data: { name: LONGEST_NAME } });
    expect((await call('GET', PATH)).body).toMatchObject({ total: 1, data: [{ name: LONGEST_NAME }] });
    expect(await explain()).toMatchObject({ candidates: [{ table: LONGEST_NAME, outcome: 'won' }] });
    const over = await put(`${LONGEST_NAME}x`, [{ prefixes: ['91'], routes: FIVE.slice(0, 1) }]);
    expect([over.status, over.body.message]).toEqual([400, 'name is invalid']);
    expect((await call('DELETE', `${PATH}/${LONGEST_NAME}`)).status).toBe(200);
    expect((await call('GET', PATH)).body).toMatchObject({ total: 0 });
  });

  it('32 characters of a category', async () => {
    expect(LONGEST_CATEGORY).toHaveLength(32);
    const rule = { prefixes: ['91'], categories: [LONGEST_CATEGORY], routes: FIVE.slice(0, 1) };
    expect(await put('words', [rule])).toMatchObject({ status: 200, body: { data: { rules: [rule] } } });
    expect(await explain({ category: LONGEST_CATEGORY })).toMatchObject({
      category: LONGEST_CATEGORY,
      decided_by: 'rule',
      routes: named(FIVE.slice(0, 1)),
    });
    expect(await explain()).toMatchObject({ decided_by: 'none' });
    const over = await call('GET', `${PATH}/explain?account=${jane.username}&number=91&category=${LONGEST_CATEGORY}x`);
    expect([over.status, over.body.message]).toEqual([400, 'category is invalid']);
    await call('DELETE', `${PATH}/words`);
  });

  it('100 routes that an account may use', async () => {
    const path = `/v6/api/admin/accounts/${jane.username}`;
    const changed = await call('PATCH', path, { allowed_routes: NAMES });
    expect(changed).toMatchObject({ status: 200, body: { data: { allowed_routes: NAMES } } });
    const over = await call('PATCH', path, { allowed_routes: [...NAMES, NAMES[0]] });
    expect([over.status, over.body.message]).toEqual([400, 'allowed_routes must have at most 100 entries']);
    api.app.get(AccountDirectory, { strict: false }).forget(jane.id);
    expect((await call('GET', path)).body).toMatchObject({ data: { allowed_routes: NAMES } });
    // the last of them is one of them, also to a send
    expect(await explain({ service: String(NAMES.at(-1)) })).toMatchObject({
      decided_by: 'service',
      routes: named(NAMES.slice(-1)),
    });
  });
});
