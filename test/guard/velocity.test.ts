import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Conversions, Freezes } from '../../src/modules/guard/index.js';
import { openSms, type Member, type Sms } from '../support/sms.js';
import { guardedOf } from './support.js';

let sms: Sms;
let test: ReturnType<typeof guardedOf>;
let staff: Member;

beforeAll(async () => {
  sms = await openSms({ MESSAGES_PER_SECOND: 0 });
  test = guardedOf(sms);
  staff = await sms.join(1, { userType: 'super' });
});
afterAll(() => sms.stop());

const FROZEN = 'destination_frozen';

describe('numbers in a row', () => {
  it('freeze their prefix, over single messages in any order', async () => {
    const member = await test.guarded({ sequential_numbers: 10 });
    const order = [7, 2, 9, 0, 4, 1, 10, 3, 8, 5, 6];
    const statuses: number[] = [];
    for (const index of order) statuses.push((await test.send(member, `+9198123400${10 + index}`)).status);
    expect(statuses).toEqual([...Array<number>(10).fill(202), 403]);
    expect(await test.freezes(member)).toMatchObject([{ prefix: '91981234', reason: 'sequence' }]);
    const answer = await test.send(member, '+919812349999');
    expect(answer).toMatchObject({ status: 403, body: { code: FROZEN, message: 'Sending is frozen: 91981234' } });
    expect((await test.send(member, '+919812350000')).status).toBe(202);
    expect(await sms.credits(member)).toBe(100_000 - 11);
  });

  it('of a large send are found in all of it', async () => {
    const member = await test.guarded({ sequential_numbers: 50 });
    const spread = Array.from({ length: 30_000 }, (_, index) => `9170${10_000_000 + 3_001 * index}`.slice(0, 12));
    const row = Array.from({ length: 60 }, (_, index) => `9198765${10_000 + index}`);
    const contacts = [...spread.slice(0, 15_000), ...row, ...spread.slice(15_000)];
    const answer = await test.broadcastTo(member, contacts);
    expect(answer).toMatchObject({ status: 403, body: { code: FROZEN } });
    expect(await sms.credits(member)).toBe(100_000);
    const rows = await sms.dataSource.query<unknown[]>('SELECT id FROM campaigns WHERE account_id = ?', [
      member.account.id,
    ]);
    expect(rows).toEqual([]);
  });
});

describe('many numbers of a prefix never used before', () => {
  it('freeze it, and no prefix that is known', async () => {
    const member = await test.guarded({ burst_numbers: 3 });
    const to = (prefix: string, index: number): string => `+${prefix}${1_000 + 200 * index}`;
    const statuses: number[] = [];
    for (let index = 0; index < 4; index++) statuses.push((await test.send(member, to('91981111', index))).status);
    expect(statuses).toEqual([202, 202, 202, 403]);
    expect(await test.freezes(member)).toMatchObject([{ prefix: '91981111', reason: 'burst' }]);
  });

  it('end with a release by staff, told to the owner and kept in the log', async () => {
    const member = await test.guarded({ burst_numbers: 1 });
    await test.call('POST', '/v6/api/webhooks', member, { url: 'https://example.com/hook', events: ['account.guard'] });
    await test.broadcastTo(member, ['919822220001']);
    expect((await test.broadcastTo(member, ['919822220900'])).status).toBe(403);
    const list = await test.call(
      'GET',
      `/v6/api/admin/freezes?status=active&username=${member.account.username}`,
      staff,
    );
    const [freeze] = list.body['data'] as { id: number; prefix: string }[];
    expect(freeze).toMatchObject({
      prefix: '91982222',
      reason: 'burst',
      username: member.account.username,
      evidence: { numbers: 2 },
    });
    const released = await test.call('POST', `/v6/api/admin/freezes/${freeze?.id}/release`, staff, {});
    expect(released).toMatchObject({
      status: 200,
      body: { message: 'Freeze released successfully', data: { released_by: { kind: 'staff' } } },
    });
    expect((await test.call('POST', `/v6/api/admin/freezes/${freeze?.id}/release`, staff, {})).status).toBe(404);
    for (const index of [1, 2, 3, 4])
      expect((await test.broadcastTo(member, [`91982222${1_000 * index}`])).status).toBe(200);
    const events = await sms.dataSource.query<{ body: string }[]>(
      `SELECT body FROM webhook_events WHERE account_id = ? AND type = 'account.guard' ORDER BY id`,
      [member.account.id],
    );
    expect(events.map(({ body }) => (JSON.parse(body) as { state: string }).state)).toEqual(['frozen', 'released']);
    const log = await sms.dataSource.query<unknown[]>(
      `SELECT id FROM audit_log WHERE account_id = ? AND action = 'freeze.release'`,
      [member.account.id],
    );
    expect(log).toHaveLength(1);
    expect((await test.call('GET', '/v6/api/admin/freezes?status=odd', staff)).status).toBe(400);
    expect((await test.call('GET', '/v6/api/admin/freezes?username=nobody.here', staff)).status).toBe(404);
    expect((await test.call('GET', '/v6/api/admin/freezes', member)).status).toBe(403);
  });

  it('freeze it once under parallel sends', async () => {
    const member = await test.guarded({ burst_numbers: 5 });
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) => test.send(member, `+91983333${1_000 + 150 * index}`)),
    );
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(5);
    expect(await test.freezes(member)).toMatchObject([{ prefix: '91983333', reason: 'burst' }]);
    const frozen = await sms.part(Freezes).frozenAccounts();
    expect(frozen).toContainEqual({ accountId: member.account.id, prefixes: 1 });
  });
});

describe('verifications that nobody finishes', () => {
  const run = async (bound: number, successes: number): Promise<Member> => {
    const member = await test.guarded({ conversion_percent: bound });
    const conversions = sms.part(Conversions);
    for (let index = 0; index < 20; index++) {
      const number = `9198444410${10 + index}`;
      if (index < successes) await conversions.succeeded(member.account.id, number);
      await conversions.started(member.account.id, number, 'sms');
    }
    return member;
  };

  it('freeze their prefix', async () => {
    const member = await run(10, 1);
    expect(await test.freezes(member)).toMatchObject([{ prefix: '91984444', reason: 'conversion' }]);
    expect((await test.send(member, '+919844440001')).body['code']).toBe(FROZEN);
  });

  it('do not where enough succeed, nor for accounts without the rule', async () => {
    expect(await test.freezes(await run(10, 2))).toEqual([]);
    const open = await sms.join(10);
    for (let index = 0; index < 25; index++)
      await sms.part(Conversions).started(open.account.id, '919855550001', 'sms');
    expect(await test.freezes(open)).toEqual([]);
  });
});
