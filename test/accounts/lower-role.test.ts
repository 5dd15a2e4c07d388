import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Member, openSms, type Sms } from '../support/sms.js';
import { bearer, dataOf, KEYS, USERS, type Way, waysOf } from '../support/ways.js';

let sms: Sms;
let ways: ReturnType<typeof waysOf>;

beforeAll(async () => {
  sms = await openSms({ OUTBOUND_ALLOW: '127.0.0.0/8', LOGIN_FAILURE_LIMIT: 0 });
  ways = waysOf(sms);
});
afterAll(() => sms.stop());

const setRole = async (of: Member, { id }: Way, role: string): Promise<void> => {
  const { status } = await ways.call('PATCH', `${USERS}/${id}`, bearer(of.token), { role });
  expect([role, status]).toEqual([role, 200]);
};
const keyOf = async ({ headers }: Way, scopes: string[] | null): Promise<Record<string, string>> => {
  const made = await ways.call('POST', KEYS, headers, scopes ? { scopes } : {});
  return { 'x-api-key': dataOf<{ key: string }>(made).key };
};
const works = async (key: Record<string, string>): Promise<boolean> =>
  (await ways.call('GET', '/v6/api/account', key)).status === 200;
const scheduled = async ({ headers }: Way): Promise<string> => {
  const body = {
    channel: 'sms',
    broadcast_name: 'Later',
    message: 'Hello',
    recipients: [{ to: '919812345678' }],
    scheduled_at: '2099-01-01 10:00:00',
  };
  return dataOf<{ request_id: string }>(await ways.call('POST', '/v6/api/campaigns', headers, body)).request_id;
};

it('a lower role ends what a person made beyond it: a right never outlives its owner', async () => {
  const member = await sms.join(10);
  const person = await ways.person(member);
  await setRole(member, person, 'owner');
  const [all, sends, reads] = [
    await keyOf(person, null),
    await keyOf(person, ['send:sms']),
    await keyOf(person, ['read']),
  ];
  const hook = await ways.hook(person);
  const request = await scheduled(person);
  const own = { hook: await ways.hook({ ...person, headers: bearer(member.token) }) };
  const states = async () => [
    await works(all),
    await works(sends),
    await works(reads),
    (await ways.webhook(member, hook))['status'],
    dataOf(await ways.call('GET', `/v6/api/campaigns/${request}`, bearer(member.token)))['state'],
  ];
  const before = await states();
  expect(before.slice(0, 4)).toEqual([true, true, true, 'active']);
  const made = dataOf<{ kind: string }[]>(
    await ways.call('GET', `${USERS}/${person.id}/created`, bearer(member.token)),
  );
  expect(made.map(({ kind }) => kind).sort()).toEqual(['campaign', 'key', 'key', 'key', 'webhook']);
  await setRole(member, person, 'manager');
  expect(await states()).toEqual([false, true, true, 'active', before[4]]);
  await setRole(member, person, 'sender');
  expect(await states()).toEqual([false, true, true, 'disabled', before[4]]);
  await setRole(member, person, 'viewer');
  expect(await states()).toEqual([false, false, true, 'disabled', 'paused']);
  await setRole(member, person, 'owner'); // nothing comes back by itself
  expect(await states()).toEqual([false, false, true, 'disabled', 'paused']);
  expect((await ways.webhook(member, own.hook))['status']).toBe('active');
  const log = await sms.dataSource.query<{ action: string }[]>(
    "SELECT action FROM audit_log WHERE actor_id = ? AND details LIKE '%lost the right%' ORDER BY id",
    [member.account.id],
  );
  expect(log.map(({ action }) => action)).toEqual(['api_key.revoke', 'api_key.revoke', 'campaign.pause']);
});
