import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GuardCounters, type Taking } from '../../src/modules/guard/guard-counters.js';
import { RedisLink } from '../../src/platform/redis/index.js';
import { type RunningApi, startApi } from '../support/api.js';
import { requireVariable } from '../support/database.js';
import { openSms, type Sms } from '../support/sms.js';
import { guardedOf, perDay } from './support.js';

let away: Sms;
let there: RunningApi;

beforeAll(async () => {
  away = await openSms({ MESSAGES_PER_SECOND: 0, REDIS_URL: 'redis://127.0.0.1:1' });
  // with the same secrets: tokens of a process with others would be refused
  const environment = { ...away.environment, REDIS_URL: requireVariable('REDIS_URL') };
  there = await startApi(environment, away.database);
});
afterAll(async () => {
  await there.stop();
  await away.stop();
});

describe('without Redis', () => {
  it('destinations and limits hold in each process', async () => {
    expect(away.part(RedisLink).ready).toBe(false);
    const test = guardedOf(away);
    const member = await test.guarded({ countries: ['IN'], limits: perDay(3) });
    expect((await test.send(member, '+8816123456789')).body['code']).toBe('destination_not_allowed');
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) => test.send(member, `+9198${10_000_000 + 97 * index}`)),
    );
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(3);
    const left = await test.call('GET', '/v6/api/account/limits', member);
    expect(left.body['data']).toMatchObject({ bounds: [{ name: 'sms.per_day', used: 3, left: 0 }] });
  });

  it('sequences are frozen in the database, for every process', async () => {
    const test = guardedOf(away);
    const member = await test.guarded({ sequential_numbers: 3 });
    const statuses: number[] = [];
    for (const index of [1, 2, 3, 4]) statuses.push((await test.send(member, `+91981234000${index}`)).status);
    expect(statuses).toEqual([202, 202, 202, 403]);
    expect(await test.freezes(member)).toMatchObject([{ prefix: '91981234', reason: 'sequence' }]);
  });
});

it('counts in Redis and in a process decide alike', async () => {
  let seed = 11;
  const random = (below: number): number => (seed = (seed * 48_271) % 2_147_483_647) % below;
  const [local, redis] = [away.part(GuardCounters), there.app.get(GuardCounters, { strict: false })];
  const outcomes = new Map<string, number>();
  for (let account = 1; account <= 12; account++) {
    const accountId = 4_000_000_000 + account;
    for (let step = 0; step < 60; step++) {
      const numbers = Array.from(
        { length: 1 + random(4) },
        () => `9198${10 + random(3)}00${String(random(120)).padStart(4, '0')}`,
      );
      const prefixes = [...new Set(numbers.map((number) => number.slice(0, -4)))];
      const taking: Taking = {
        limits: [
          { name: 'sms.per_day', bucket: 20_261_127 + Math.floor(step / 20), amount: numbers.length, limit: 40 },
          { name: 'credits', bucket: 20_261_127, amount: random(5), limit: 90 },
        ],
        ...{ hour: 500_000 + Math.floor(step / 30), day: 20_261_127 },
        ...{ newPrefixes: account % 3 === 0 ? 2 : null, burst: account % 2 ? 14 : null, sequential: 5 },
        ...{ prefixes, numbers: [...new Set(numbers)] },
      };
      const [here, far] = [await local.take(accountId, taking), await redis.take(accountId, taking)];
      expect([account, step, here]).toEqual([account, step, far]);
      outcomes.set(here.kind, (outcomes.get(here.kind) ?? 0) + 1);
      if (here.kind === 'taken' && random(4) === 0) {
        await local.giveBack(accountId, taking.limits);
        await redis.giveBack(accountId, taking.limits);
      }
    }
  }
  expect([...outcomes.keys()].sort()).toEqual(['frozen', 'limit', 'new_prefixes', 'taken']);
});
