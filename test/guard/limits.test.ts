import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { OPEN_TERMS } from '../../src/modules/accounts/index.js';
import { dayOf } from '../../src/modules/guard/periods.js';
import { startApi, type RunningApi } from '../support/api.js';
import { openSms, type Answer, type Member, type Sms, smsOf } from '../support/sms.js';
import { guardedOf, perDay } from './support.js';

let sms: Sms;
let second: RunningApi;
let test: ReturnType<typeof guardedOf>;
let other: ReturnType<typeof guardedOf>;

beforeAll(async () => {
  sms = await openSms({ MESSAGES_PER_SECOND: 0 });
  second = await startApi(sms.environment, sms.database);
  [test, other] = [guardedOf(sms), guardedOf(smsOf(second))];
});
afterAll(async () => {
  await second.stop();
  await sms.stop();
});

const number = (index: number): string => `+9198${String(10_000_000 + 97 * index)}`;
const accepted = (answers: readonly Answer[]): number => answers.filter(({ status }) => status === 202).length;

describe('limits', () => {
  it('hold exactly under 100 requests at once over two processes', async () => {
    const member = await test.guarded({ limits: perDay(37) });
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, index) => (index % 2 ? test : other).send(member, number(index))),
    );
    expect(accepted(answers)).toBe(37);
    expect(await sms.credits(member)).toBe(100_000 - 37);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(63);
    for (const { body, headers } of refused) {
      expect(body).toMatchObject({ code: 'daily_limit', message: 'Daily limit reached' });
      const seconds = Number(headers.get('retry-after'));
      expect(seconds).toBeGreaterThan(0);
      expect(seconds).toBeLessThanOrEqual(86_400);
    }
  });

  it('count all of a campaign or nothing, and give back what was not accepted', async () => {
    const member = await test.guarded({ limits: perDay(10), credits_per_day: 9 });
    const some = (count: number, from = 0): string[] =>
      Array.from({ length: count }, (_, index) => number(from + index));
    expect(await test.broadcastTo(member, some(11))).toMatchObject({ status: 400, body: { code: 'send_over_limit' } });
    expect((await test.broadcastTo(member, some(8))).status).toBe(200);
    expect(await test.broadcastTo(member, some(2))).toMatchObject({ status: 429, body: { code: 'daily_credits' } });
    await sms.dataSource.query('UPDATE credit_balances SET available = 0 WHERE account_id = ?', [member.account.id]);
    const poor = await test.broadcastTo(member, some(1, 20));
    expect(poor.body['message']).toBe('Insufficient credits. Available: 0, Required: 1');
    await sms.dataSource.query('UPDATE credit_balances SET available = 5 WHERE account_id = ?', [member.account.id]);
    expect((await test.broadcastTo(member, some(1, 20))).status).toBe(200);
    expect((await test.broadcastTo(member, some(1, 21))).status).toBe(429);
  });

  it('show the owner what is left', async () => {
    const member = await test.guarded({ limits: perDay(10), countries: ['IN'] });
    await test.broadcastTo(member, [number(1), number(2), number(3)]);
    const answer = await test.call('GET', '/v6/api/account/limits', member);
    expect(answer).toMatchObject({
      status: 200,
      body: {
        data: {
          terms: { countries: ['IN'] },
          bounds: [{ name: 'sms.per_day', limit: 10, used: 3, left: 7 }],
          bounded_by_reseller: false,
          frozen: [],
        },
      },
    });
  });

  it('of a second and a minute say when to come again', async () => {
    const limits = { ...OPEN_TERMS.limits, sms: { per_second: 2, per_minute: 3, per_day: null } };
    const member = await test.guarded({ limits });
    const answers = await Promise.all([1, 2, 3, 4, 5, 6].map((index) => test.send(member, number(index))));
    expect(accepted(answers)).toBeLessThanOrEqual(3);
    const codes = new Set(answers.flatMap(({ body }) => (body['code'] as string | undefined) ?? []));
    expect([...codes].every((code) => code === 'second_limit' || code === 'minute_limit')).toBe(true);
  });

  it('count prefixes that were never used before', async () => {
    const member = await test.guarded({ new_prefixes_per_day: 2 });
    expect((await test.send(member, '+919800010001')).status).toBe(202);
    expect((await test.send(member, '+919800020001')).status).toBe(202);
    expect((await test.send(member, '+919800010002')).status).toBe(202);
    expect(await test.send(member, '+919800030001')).toMatchObject({
      status: 429,
      body: { code: 'daily_new_prefixes' },
    });
  });

  it('begin anew at midnight of the account, once', async () => {
    const member = await test.guarded({ limits: perDay(1) }, { timeZone: 'Asia/Kolkata' });
    expect((await test.send(member, number(1))).status).toBe(202);
    expect((await test.send(member, number(2))).status).toBe(429);
    const { secondsLeft } = dayOf('Asia/Kolkata', new Date());
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + secondsLeft * 1_000 + 1_000 });
    try {
      expect((await test.send(member, number(3))).status).toBe(202);
      // a zone behind it would bring the day before again
      await sms.alter(member, 'time_zone', 'Pacific/Honolulu');
      expect((await test.send(member, number(4))).status).toBe(429);
    } finally {
      vi.useRealTimers();
    }
  });
});

it("bind a reseller's clients together, and only staff lift them", async () => {
  const reseller = await test.guarded({ limits: perDay(5), countries: ['IN'] }, { userType: 'reseller' });
  const clients: Member[] = [];
  for (let index = 0; index < 2; index++) clients.push(await sms.join(100, { parentId: reseller.account.id }));
  const [one, two] = clients as [Member, Member];
  expect((await test.send(one, '+14155552671')).body['code']).toBe('destination_not_allowed');
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, index) => test.send(index % 2 ? one : two, number(index))),
  );
  expect(accepted(answers)).toBe(5);
  const path = `/v6/api/admin/accounts/${one.account.username}/guard`;
  expect(await test.call('PATCH', path, reseller, { preset: 'open' })).toMatchObject({ status: 403 });
  expect(await test.call('GET', path, reseller)).toMatchObject({
    status: 200,
    body: { data: { terms: null, bounded_by_reseller: true } },
  });
  const foreign = await sms.join(1);
  expect((await test.call('GET', `/v6/api/admin/accounts/${foreign.account.username}/guard`, reseller)).status).toBe(
    404,
  );
});

describe('terms set by staff', () => {
  const changing = async (): Promise<{ staff: Member; member: Member; path: string }> => {
    const [staff, member] = [await sms.join(1, { userType: 'super' }), await sms.join(100)];
    await sms.alter(member, 'country_code', 'IN');
    return { staff, member, path: `/v6/api/admin/accounts/${member.account.username}/guard` };
  };

  it('change field by field, with an entry in both logs', async () => {
    const { staff, member, path } = await changing();
    const strict = await test.call('PATCH', path, staff, { preset: 'strict' });
    expect(strict).toMatchObject({
      status: 200,
      body: { data: { terms: { countries: ['IN'], credits_per_day: 1_000 } } },
    });
    const changed = await test.call('PATCH', path, staff, {
      ...{ countries: ['US', 'IN'], prefixes: ['44'], limits: { sms: { per_day: 7 } }, max_price: null },
    });
    expect(changed).toMatchObject({
      status: 200,
      body: {
        message: 'Guard updated successfully',
        data: {
          terms: {
            ...{ countries: ['IN', 'US'], prefixes: ['44'], max_price: null, credits_per_day: 1_000 },
            limits: { sms: { per_second: null, per_minute: 100, per_day: 7 } },
          },
        },
      },
    });
    expect((await test.send(member, '+447911123456')).status).toBe(202);
    expect(await test.call('PATCH', path, staff, { preset: 'open' })).toMatchObject({
      body: { data: { terms: null } },
    });
    const log = await sms.dataSource.query<{ action: string }[]>(
      `SELECT action FROM audit_log WHERE account_id = ? AND action = 'account.guard'`,
      [member.account.id],
    );
    expect(log).toHaveLength(3);
  });

  it.each([
    [{ preset: 'loose' }, 'preset must be one of: open, strict'],
    [{ countries: ['XX'] }, 'countries is invalid'],
    [{ prefixes: ['+44'] }, 'prefixes is invalid'],
    [{ special_prefixes: 881 }, 'special_prefixes is invalid'],
    [{ limits: { sms: { per_day: -1 } } }, 'limits.sms.per_day must be a whole number from 0 to 1000000000'],
    [{ limits: [] }, 'limits is invalid'],
    [{ sequential_numbers: 1_001 }, 'sequential_numbers must be a whole number from 0 to 1000'],
    [{ max_price: 1.5 }, 'max_price must be a whole number from 0 to 1000000000'],
  ])('refuse %j', async (body, message) => {
    const { staff, path } = await changing();
    expect(await test.call('PATCH', path, staff, body)).toMatchObject({ status: 400, body: { message } });
  });

  it('are not for clients, nor of accounts that are not there', async () => {
    const { staff, member, path } = await changing();
    expect((await test.call('PATCH', path, member, { preset: 'open' })).status).toBe(403);
    expect((await test.call('GET', path, member)).status).toBe(403);
    const nobody = '/v6/api/admin/accounts/nobody.here/guard';
    expect((await test.call('GET', nobody, staff)).status).toBe(404);
    expect((await test.call('PATCH', nobody, staff, { preset: 'open' })).status).toBe(404);
  });
});
