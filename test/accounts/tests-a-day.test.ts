import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { dayOf } from '../../src/modules/guard/periods.js';
import { type RunningApi, startApi } from '../support/api.js';
import { dataOf, type Json } from '../support/campaigns.js';
import { type Answer, type Member, openSms, type Sms, smsOf } from '../support/sms.js';

const CAP = 20;
let sms: Sms;
let second: RunningApi;

beforeAll(async () => {
  sms = await openSms({ TESTS_PER_DAY: CAP, MESSAGES_PER_SECOND: 0 });
  second = await startApi(sms.environment, sms.database);
});
afterAll(async () => {
  await second.stop();
  await sms.stop();
});

const keyOf = async (member: Member, mode: 'test' | 'live'): Promise<Record<string, string>> => {
  const made = await sms.post('/v6/api/account/api-keys', member, { name: mode, mode });
  return { 'x-api-key': String(dataOf(made)['key']) };
};
const message = (to: number, key: Record<string, string>, at: Pick<Sms, 'post'> = sms): Promise<Answer> =>
  at.post('/v6/api/messages', null, { channel: 'sms', to: `+91981234${1_000 + to}`, text: 'Hello' }, key);
const broadcast = (count: number, key: Record<string, string>, more: Json = {}): Promise<Answer> => {
  const contacts = Array.from({ length: count }, (_, index) => `91981234${1_000 + index}`);
  const body = { broadcast_name: 'Try', brodcast_service: 'main', message: 'Hello', contacts, ...more };
  return sms.post('/webhook/api/addbroadcastgsm.php', null, body, key);
};

it('all test keys of an account send to so many recipients a day, exactly, over two processes', async () => {
  const member = await sms.join(1_000);
  const keys = [await keyOf(member, 'test'), await keyOf(member, 'test')];
  const live = await keyOf(member, 'live');
  const there = smsOf(second);
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, index) => message(index, keys[index % 2] ?? {}, index % 3 ? sms : there)),
  );
  expect(answers.filter(({ status }) => status === 202)).toHaveLength(CAP);
  const [refused] = answers.filter(({ status }) => status === 429);
  expect(refused?.body).toMatchObject({ code: 'daily_tests', message: 'Daily limit of tests reached' });
  const wait = Number(refused?.headers.get('retry-after'));
  expect(Math.abs(wait - dayOf(member.account.timeZone, new Date()).secondsLeft)).toBeLessThan(5);
  expect((await message(1, live)).status).toBe(202);
  const neighbour = await keyOf(await sms.join(1_000), 'test');
  expect((await message(1, neighbour)).status).toBe(202);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + wait * 1_000 });
  try {
    expect((await message(1, keys[0] ?? {})).status).toBe(202);
  } finally {
    vi.useRealTimers();
  }
});

it('a send of more than a day has is named as such, and counts are given back', async () => {
  const member = await sms.join(CAP);
  const key = await keyOf(member, 'test');
  expect(await broadcast(CAP + 1, key)).toMatchObject({
    status: 400,
    body: { code: 'send_over_limit', message: `At most ${CAP} recipients a day are allowed` },
  });
  await sms.dataSource.query('UPDATE credit_balances SET available = 5 WHERE account_id = ?', [member.account.id]);
  expect((await broadcast(CAP, key)).body['message']).toBe(`Insufficient credits. Available: 5, Required: ${CAP}`);
  await sms.dataSource.query('UPDATE credit_balances SET available = 100 WHERE account_id = ?', [member.account.id]);
  const own = { providermessageid: `own-${member.account.id}` };
  for (let tries = 0; tries < 3; tries++) expect((await broadcast(CAP, key, own)).status).toBe(200);
  expect((await message(1, key)).body['code']).toBe('daily_tests');
});
