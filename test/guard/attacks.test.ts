import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { OPEN_TERMS } from '../../src/modules/accounts/index.js';
import { dayOf } from '../../src/modules/guard/periods.js';
import { type RunningApi, startApi } from '../support/api.js';
import { dataOf, type Json } from '../support/campaigns.js';
import { giveRatePlan } from '../support/rate-plan.js';
import { type Answer, type Member, openSms, type Sms, smsOf } from '../support/sms.js';
import { guardedOf, MESSAGES, perDay } from './support.js';

let sms: Sms;
let second: RunningApi;
let test: ReturnType<typeof guardedOf>;
let other: ReturnType<typeof guardedOf>;
let staff: Member;

beforeAll(async () => {
  sms = await openSms({ MESSAGES_PER_SECOND: 0 });
  second = await startApi(sms.environment, sms.database);
  [test, other] = [guardedOf(sms), guardedOf(smsOf(second))];
  staff = await sms.join(1, { userType: 'super' });
});
afterAll(async () => {
  await second.stop();
  await sms.stop();
});

const statusesOf = async (count: number, send: (index: number) => Promise<Answer>): Promise<number[]> => {
  const statuses: number[] = [];
  for (let index = 0; index < count; index++) statuses.push((await send(index)).status);
  return statuses;
};
const times = (count: number, status: number): number[] => Array<number>(count).fill(status);
const codesOf = (answers: readonly Answer[]): unknown[] => [...new Set(answers.map(({ body }) => body['code']))];
const accepted = (answers: readonly Answer[]): number => answers.filter(({ status }) => status === 202).length;
const campaignsOf = async ({ account }: Member): Promise<number> => {
  const [row] = await sms.dataSource.query<{ count: number | string }[]>(
    'SELECT COUNT(*) AS count FROM campaigns WHERE account_id = ?',
    [account.id],
  );
  return Number(row?.count);
};

/** Numbers of one prefix in another order than theirs. */
const shuffled = (indexes: readonly number[]): number[] =>
  [...indexes].sort((a, b) => ((a * 7_919) % 101) - ((b * 7_919) % 101));

describe('a walk over numbers', () => {
  const gapped = Array.from({ length: 11 }, (_, index) => 2 * index);

  it.each([
    ['upwards', gapped],
    ['downwards', [...gapped].reverse()],
    ['from outside to inside', gapped.map((_, index) => gapped.at(index % 2 ? -Math.ceil(index / 2) : index / 2) ?? 0)],
    ['in no order', shuffled(gapped)],
  ])('with a gap behind each, %s, is frozen with the eleventh number', async (_, order) => {
    const member = await test.guarded({ sequential_numbers: 10 });
    const statuses = await statusesOf(order.length, (index) =>
      test.send(member, `+91981234${1_000 + (order[index] ?? 0)}`),
    );
    expect(statuses).toEqual([...times(10, 202), 403]);
    expect(await test.freezes(member)).toMatchObject([{ prefix: '91981234', reason: 'sequence' }]);
  });

  it('across the end of a prefix is found as well', async () => {
    const member = await test.guarded({ sequential_numbers: 10 });
    const statuses = await statusesOf(11, (index) => test.send(member, `+91981${2_349_995 + index}`));
    expect(statuses).toEqual([...times(10, 202), 403]);
  });

  it('over 2,000 satellite numbers ends after ten, where staff allow them at all', async () => {
    const member = await test.guarded({ special_prefixes: ['881'], sequential_numbers: 10 });
    const satellite = (index: number): string => `8816${1_000_000 + index}`;
    const many = Array.from({ length: 2_000 }, (_, index) => satellite(index));
    const whole = await test.broadcastTo(member, many);
    expect(whole).toMatchObject({ status: 403, body: { code: 'destination_frozen' } });
    expect([await sms.credits(member), await campaignsOf(member)]).toEqual([100_000, 0]);
    const singly = await test.guarded({ special_prefixes: ['881'], sequential_numbers: 10 });
    const first = await statusesOf(20, (index) => test.send(singly, `+${satellite(index)}`));
    expect(first).toEqual([...times(10, 202), ...times(10, 403)]);
    const others: Answer[] = [];
    for (let from = 20; from < many.length; from += 180) {
      const some = many.slice(from, from + 180);
      others.push(...(await Promise.all(some.map((to, index) => (index % 2 ? test : other).send(singly, `+${to}`)))));
    }
    expect(codesOf(others)).toEqual(['destination_frozen']);
    expect(await sms.credits(singly)).toBe(100_000 - 10);
  });
});

describe('a burst that stays below the limit of a minute', () => {
  const keysOf = async (member: Member): Promise<string[]> => {
    const keys = [1, 2, 3].map(async (name) =>
      String(dataOf(await sms.post('/v6/api/account/api-keys', member, { name: `Key ${name}` }))['key']),
    );
    return Promise.all(keys);
  };
  const sends = (keys: readonly string[], count: number, to: (index: number) => string): Promise<Answer[]> => {
    const parties = [sms, smsOf(second)];
    return Promise.all(
      Array.from({ length: count }, (_, index) =>
        (parties[index % 2] ?? sms).post(
          MESSAGES,
          null,
          { channel: 'sms', to: to(index), text: 'Hello' },
          { 'x-api-key': keys[index % 3] ?? '' },
        ),
      ),
    );
  };
  const minute = { ...OPEN_TERMS.limits, sms: { ...OPEN_TERMS.limits.sms, per_minute: 100 } };

  it('is one burst over two processes and three keys', async () => {
    const member = await test.guarded({ limits: minute, burst_numbers: 20 });
    const answers = await sends(await keysOf(member), 60, (index) => `+91983333${1_000 + 111 * index}`);
    expect(accepted(answers)).toBe(20);
    expect(codesOf(answers)).toEqual(expect.arrayContaining([undefined, 'destination_frozen']));
    expect(await test.freezes(member)).toMatchObject([{ prefix: '91983333', reason: 'burst' }]);
    expect(await sms.credits(member)).toBe(100_000 - 20);
  });

  it('counts its new prefixes together', async () => {
    const member = await test.guarded({ limits: minute, new_prefixes_per_day: 7 });
    const answers = await sends(await keysOf(member), 60, (index) => `+9198${1_000 + index}0001`);
    expect(accepted(answers)).toBe(7);
    expect(codesOf(answers)).toEqual(expect.arrayContaining([undefined, 'daily_new_prefixes']));
  });

  it('reaches few of sixty calling codes', async () => {
    const codes = '1202 7495 202 2782 3021 3161 322 331 349 36 39 407 4178 43 4479 4520 467 479 485 491 519 52 53 549 5511 569 573 58 601 614 62 639 642 657 6681 8190 821 849 861 9053 92 93 947 959 98'.split(' '); // prettier-ignore
    const member = await test.guarded({ new_prefixes_per_day: 5 });
    const to = (code: string): string => `+${code}23456789012`.slice(0, 12);
    const answers: Answer[] = [];
    for (const code of [...codes, ...codes]) answers.push(await test.send(member, to(code)));
    const first = answers.slice(0, codes.length);
    expect(accepted(first)).toBe(5);
    // those that are known by then stay open
    expect(accepted(answers)).toBe(10);
  });
});

describe('when to come again', () => {
  it.each([
    ['daily_limit', { limits: perDay(1) }],
    ['daily_credits', { credits_per_day: 1 }],
    ['daily_new_prefixes', { new_prefixes_per_day: 1 }],
  ])('%s says the seconds until midnight of the account', async (code, terms) => {
    const member = await test.guarded(terms, { timeZone: 'Pacific/Auckland' });
    expect((await test.send(member, '+919812340001')).status).toBe(202);
    const refused = await test.send(member, '+919899990001');
    expect(refused).toMatchObject({ status: 429, body: { code } });
    const wait = Number(refused.headers.get('retry-after'));
    expect(Math.abs(wait - dayOf('Pacific/Auckland', new Date()).secondsLeft)).toBeLessThan(5);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + wait * 1_000 });
    try {
      expect((await test.send(member, '+919899990001')).status).toBe(202);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('the price of a recipient', () => {
  it('is that of its own rate: dear rows are named, and nothing of the send is charged', async () => {
    const member = await test.guarded({ max_price: 5 });
    await giveRatePlan(sms, member, [
      { channel: 'sms', prefix: '', credits_per_segment: 1 },
      { channel: 'sms', prefix: '44', credits_per_segment: 4 },
      { channel: 'sms', prefix: '447', credits_per_segment: 6 },
    ]);
    const recipients = ['919812345678', '442079460018', '447911123456', '447911123457'].map((to) => ({ to: `+${to}` }));
    const body = { channel: 'sms', broadcast_name: 'Mixed', message: 'Hi', recipients };
    const refused = await sms.post('/v6/api/campaigns', member, body);
    expect(refused.status).toBe(400);
    expect((refused.body['errors'] as Json[]).map(({ row, reason }) => [row, reason])).toEqual([
      [3, 'price_over_limit'],
      [4, 'price_over_limit'],
    ]);
    expect([await sms.credits(member), await campaignsOf(member)]).toEqual([100_000, 0]);
    const part = await sms.post('/v6/api/campaigns', member, { ...body, skip_invalid: true });
    expect(part).toMatchObject({ status: 202, body: { data: { recipients: 2, skipped_count: 2 } } });
    // two parts of a text that 44 may have in one
    const long = await sms.post(MESSAGES, member, { channel: 'sms', to: '+442079460018', text: 'a'.repeat(200) });
    expect(long.body['code']).toBe('price_over_limit');
    const quoted = await test.broadcastTo(member, ['919812345678', '447911123456']);
    expect(quoted).toMatchObject({ status: 400, body: { code: 'price_over_limit' } });
  });
});

describe('a reseller', () => {
  it('lifts neither terms nor freezes of staff, nor what binds callers', async () => {
    const reseller = await test.guarded({}, { userType: 'reseller' });
    const client = await test.guarded({ burst_numbers: 1 }, { parentId: reseller.account.id });
    const own = `/v6/api/admin/accounts/${client.account.username}`;
    await test.send(client, '+919822220001');
    expect((await test.send(client, '+919822220900')).body['code']).toBe('destination_frozen');
    const [freeze] = await test.freezes(client);
    expect((await test.call('POST', `/v6/api/admin/freezes/${freeze?.id}/release`, reseller, {})).status).toBe(403);
    expect((await test.call('GET', '/v6/api/admin/freezes', reseller)).status).toBe(403);
    expect((await test.call('PATCH', `${own}/guard`, reseller, { preset: 'open' })).status).toBe(403);
    expect((await test.call('PATCH', own, staff, { require_sender: true })).status).toBe(200);
    const lifted = await test.call('PATCH', own, reseller, { require_sender: false });
    expect(lifted).toMatchObject({ status: 403 });
    for (const country of ['US', null]) await test.call('PATCH', own, reseller, { country });
    expect((await test.send(client, '+919822220901')).body['code']).toBe('destination_frozen');
  });
});
