import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Account } from '../../src/modules/accounts/index.js';
import { Rates } from '../../src/modules/rates/index.js';
import { accountsOf, type Accounts, type Answer } from '../support/accounts.js';
import { type RunningApi, startApi } from '../support/api.js';

const BASE = '/v6/api/admin/rates';
const row = (channel: unknown, prefix: unknown, credits: unknown): object => ({
  channel,
  prefix,
  credits_per_segment: credits,
});

let api: RunningApi;
let accounts: Accounts;
let root: Account;
let rates: Rates;

const call = (method: string, path: string, body?: unknown, actor = root): Promise<Answer> =>
  accounts.call(method, path, { token: accounts.token(actor), ...(body !== undefined && { body }) });
const told = async (method: string, path: string, body?: unknown, actor = root): Promise<unknown[]> => {
  const { status, body: answer } = await call(method, path, body, actor);
  return [status, answer.message];
};
const put = (plan: string, body: unknown): Promise<unknown[]> => told('PUT', `${BASE}/${plan}`, body);
const give = (target: Account, plan: unknown, actor = root): Promise<unknown[]> =>
  told('PATCH', `/v6/api/admin/accounts/${target.username}`, { rate_plan: plan }, actor);

beforeAll(async () => {
  api = await startApi({ USER_RATE_LIMIT: 0 });
  accounts = accountsOf(api);
  rates = api.app.get(Rates, { strict: false });
  root = await accounts.account({ username: 'root', userType: 'super' });
});
afterAll(() => api.stop());

describe('a rate plan', () => {
  it('is made, shown, replaced, listed and removed, and staff leave a trace', async () => {
    const made = await call('PUT', `${BASE}/wholesale`, [row('sms', '91', 2), row('sms', '', 3)]);
    const stamp = expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/) as string;
    expect([made.status, made.body]).toEqual([
      200,
      {
        success: true,
        message: 'Rate plan saved successfully',
        data: {
          name: 'wholesale',
          revision: 1,
          accounts: 0,
          rates: [row('sms', '', 3), row('sms', '91', 2)],
          created_at: stamp,
          updated_at: stamp,
        },
      },
    ]);
    expect((await call('GET', `${BASE}/wholesale`)).body['data']).toEqual(made.body['data']);
    const replaced = await call('PUT', `${BASE}/wholesale?revision=1`, [row('voice', '44', 0)]);
    expect(replaced.body['data']).toMatchObject({ revision: 2, rates: [row('voice', '44', 0)] });
    await put('empty', []);
    expect((await call('GET', `${BASE}?limit=1`)).body).toMatchObject({
      success: true,
      data: [{ name: 'wholesale', revision: 2, rates: 1, created_at: stamp, updated_at: stamp }],
      total: 2,
    });
    expect(await told('DELETE', `${BASE}/empty`)).toEqual([200, 'Rate plan deleted successfully']);
    expect(await told('GET', `${BASE}/empty`)).toEqual([404, 'Rate plan not found']);
    expect(await told('DELETE', `${BASE}/empty`)).toEqual([404, 'Rate plan not found']);
    const audit = (await call('GET', '/v6/api/admin/audit?actor=root&limit=4')).body['data'];
    expect(audit).toMatchObject([
      { action: 'rate_plan.delete', subject: 'empty' },
      { action: 'rate_plan.put', subject: 'empty', details: { revision: 1, rates: [] } },
      { action: 'rate_plan.put', subject: 'wholesale', details: { revision: 2, rates: [row('voice', '44', 0)] } },
      {
        action: 'rate_plan.put',
        subject: 'wholesale',
        details: { revision: 1, rates: [row('sms', '91', 2), row('sms', '', 3)] },
      },
    ]);
    await put(
      'long',
      Array.from({ length: 2_000 }, (_, at) => row('sms', String(91_000_000 + at), 2)),
    );
    expect((await call('GET', '/v6/api/admin/audit?actor=root&limit=1')).body['data']).toMatchObject([
      { action: 'rate_plan.put', subject: 'long', details: { revision: 1, rates: 2_000 } },
    ]);
  });

  it('is refused with the first row at fault', async () => {
    const names = expect.stringMatching(/^rates\[0\]\.channel must be one of: .*sms/) as string;
    const good = row('sms', '91', 2);
    const refused: [unknown, unknown][] = [
      [{ rates: [good] }, 'rates must be an array'],
      [Array.from({ length: 10_001 }, (_, index) => row('sms', String(index), 1)), 'At most 10000 rates are allowed'],
      [['sms'], names],
      [[row('gsm', '91', 2)], names],
      [[row(undefined, '91', 2)], names],
      [[good, row('sms', '9a', 2)], 'rates[1].prefix is invalid'],
      [[row('sms', 91, 2)], 'rates[0].prefix is invalid'],
      [[row('sms', '1'.repeat(16), 2)], 'rates[0].prefix is invalid'],
      ...[-1, 1_000_001, 0.5, '2', null].map((credits): [unknown, unknown] => [
        [row('sms', '91', credits)],
        'rates[0].credits_per_segment must be a whole number from 0 to 1000000',
      ]),
      [[good, row('sms', '', 1), good], 'rates[2] has the channel and prefix of rates[0]'],
    ];
    for (const [body, message] of refused) expect(await put('refused', body)).toEqual([400, message]);
    expect(await told('GET', `${BASE}/refused`)).toEqual([404, 'Rate plan not found']);
  });

  it('takes the most that may be, and no more', async () => {
    const most = Array.from({ length: 10_000 }, (_, index) => row('sms', String(index), index));
    expect(await put('most', most)).toEqual([200, 'Rate plan saved successfully']);
    const shown = (await call('GET', `${BASE}/most`)).body['data'] as { rates: unknown[] };
    expect(shown.rates).toHaveLength(10_000);
    expect(await put('edge', [row('sms', '1'.repeat(15), 1_000_000), row('sms', '', 0)])).toEqual([
      200,
      'Rate plan saved successfully',
    ]);
    const long = 'a'.repeat(64);
    expect(await put(long, [])).toEqual([200, 'Rate plan saved successfully']);
    for (const name of [`${long}a`, 'a%20b', 'ä'])
      expect(await put(encodeURI(name), [])).toEqual([400, 'plan is invalid']);
  });

  it('is not replaced by staff that looked at an earlier revision', async () => {
    await put('looked', []);
    const at = (revision: string) => told('PUT', `${BASE}/looked?revision=${revision}`, []);
    expect(await at('1')).toEqual([200, 'Rate plan saved successfully']);
    expect(await at('1')).toEqual([409, 'Changed since you looked']);
    expect(await at('3')).toEqual([409, 'Changed since you looked']);
    expect(await at('')).toEqual([200, 'Rate plan saved successfully']);
    for (const odd of ['0', '-1', 'one', '1.5'])
      expect(await at(odd)).toEqual([400, 'revision must be a whole number from 1']);
    expect(await told('PUT', `${BASE}/never?revision=1`, [])).toEqual([409, 'Changed since you looked']);
  });

  it('is made once by those who make it at the same moment', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => put('raced', [row('sms', '', 1)])));
    for (const answer of answers) {
      expect([
        [200, 'Rate plan saved successfully'],
        [409, 'Rate plan was changed at the same time'],
      ]).toContainEqual(answer);
    }
    expect((await call('GET', `${BASE}/raced`)).body['data']).toMatchObject({ rates: [row('sms', '', 1)] });
  });

  it('is for staff of the house alone', async () => {
    const [client, reseller] = [await accounts.account(), await accounts.account({ userType: 'reseller' })];
    for (const actor of [client, reseller]) {
      for (const [method, path, body] of [
        ['GET', BASE],
        ['GET', `${BASE}/wholesale`],
        ['PUT', `${BASE}/wholesale`, []],
        ['DELETE', `${BASE}/wholesale`],
      ] as const)
        expect(await told(method, path, body, actor)).toEqual([403, 'Forbidden']);
    }
  });
});

describe('an account', () => {
  const price = async (account: Account, number: string, channel = 'sms'): Promise<number | null> =>
    (await rates.pricerFor(account.id, channel))?.perSegment(number) ?? null;

  it('has a plan, which cannot be removed meanwhile', async () => {
    const target = await accounts.account();
    await put('given', [row('sms', '91', 2)]);
    expect(await price(target, '919812345678')).toBeNull();
    expect(await give(target, 'given')).toEqual([200, 'Account updated successfully']);
    expect(await price(target, '919812345678')).toBe(2);
    expect([await price(target, '442071234567'), await price(target, '919812345678', 'voice')]).toEqual([null, null]);
    const shown = await call('GET', `/v6/api/admin/accounts/${target.username}`);
    expect(shown.body['data']).toMatchObject({ rate_plan: 'given' });
    expect((await call('GET', `${BASE}/given`)).body['data']).toMatchObject({ accounts: 1 });
    expect(await told('DELETE', `${BASE}/given`)).toEqual([409, 'Rate plan is used by accounts']);
    await put('given', [row('sms', '91', 5), row('sms', '', 1)]);
    expect([await price(target, '919812345678'), await price(target, '442071234567')]).toEqual([5, 1]);
    expect(await give(target, null)).toEqual([200, 'Account updated successfully']);
    expect(await price(target, '919812345678')).toBeNull();
    expect(await told('DELETE', `${BASE}/given`)).toEqual([200, 'Rate plan deleted successfully']);
  });

  it('is given none that there is not, and none by a reseller', async () => {
    const reseller = await accounts.account({ userType: 'reseller' });
    const target = await accounts.account({ parentId: reseller.id });
    await put('house', []);
    expect(await give(target, 'nowhere')).toEqual([400, 'rate_plan is invalid']);
    expect(await give(target, 'HOUSE')).toEqual([400, 'rate_plan is invalid']);
    expect(await give(target, 'house', reseller)).toEqual([403, 'Forbidden']);
    expect(await give(target, null, reseller)).toEqual([403, 'Forbidden']);
    expect((await call('GET', `/v6/api/admin/accounts/${target.username}`)).body['data']).toMatchObject({
      rate_plan: null,
    });
  });

  it('keeps its plan where it is given at the moment of a removal', async () => {
    for (let round = 0; round < 5; round++) {
      const target = await accounts.account();
      await put('fleeting', []);
      const [given, removed] = await Promise.all([give(target, 'fleeting'), told('DELETE', `${BASE}/fleeting`)]);
      const outcome = given[0] === 200 ? 409 : 200;
      expect([given[0], removed[0]]).toEqual([given[0], outcome]);
    }
  });

  it('asks for many at once in one statement, and for none where there is no plan', async () => {
    await put('shared', [row('sms', '1', 4)]);
    const members = await Promise.all(Array.from({ length: 5 }, () => accounts.account()));
    for (const member of members.slice(0, 3)) await give(member, 'shared');
    const found = await Promise.all(members.map((member) => price(member, '12025550100')));
    expect(found).toEqual([4, 4, 4, null, null]);
  });
});
