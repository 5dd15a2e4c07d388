import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AccountDirectory } from '../../src/modules/accounts/index.js';
import { type Campaigns, dataOf, type Json, listOf, openCampaigns } from '../support/campaigns.js';
import type { Answer, Member } from '../support/sms.js';

const NUMBERS = '/v6/api/admin/inbound-numbers';
const MESSAGES = '/v6/api/admin/inbound-messages';

let campaigns: Campaigns;
let root: Member;

beforeAll(async () => {
  campaigns = await openCampaigns();
  root = await campaigns.join(0, { userType: 'super' });
});
afterAll(() => campaigns.stop());

const call = (method: string, path: string, member: Member, body?: unknown): Promise<Answer> =>
  campaigns.request(path, {
    method,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${member.token}` },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
const add = (number: string, owner: Member, keyword?: string, by = root): Promise<Answer> =>
  call('POST', NUMBERS, by, { number, route: 'main', username: owner.account.username, keyword });
const refusal = ({ status, body }: Answer): unknown[] => [status, body['message']];

describe('inbound numbers', () => {
  it('are given and taken only by staff who may change the account', async () => {
    const [client, seller, admin] = [
      await campaigns.join(),
      await campaigns.join(0, { userType: 'admin' }),
      await campaigns.join(0, { userType: 'admin' }),
    ];
    const idOf = async (answer: Promise<Answer>): Promise<string> => String(dataOf(await answer)['id']);
    const [own, ofStaff] = [await idOf(add('57001', client)), await idOf(add('57002', seller))];
    expect(refusal(await call('DELETE', `${NUMBERS}/${ofStaff}`, admin))).toEqual([403, 'Forbidden']);
    expect(refusal(await add('57003', seller, undefined, admin))).toEqual([403, 'Forbidden']);
    const allow = async (permissions: Json): Promise<void> => {
      const values = [JSON.stringify(permissions), admin.account.id];
      await campaigns.dataSource.query('UPDATE accounts SET permissions = ? WHERE id = ?', values);
      campaigns.part(AccountDirectory).forget(admin.account.id);
    };
    await allow({});
    for (const refused of [
      await call('DELETE', `${NUMBERS}/${own}`, admin),
      await add('57003', client, undefined, admin),
      await call('GET', `${MESSAGES}?username=${client.account.username}`, admin),
      await call('POST', `${MESSAGES}/1/assign`, admin, { username: client.account.username }),
    ])
      expect(refusal(refused)).toEqual([403, 'Permission denied']);
    expect(listOf(await call('GET', NUMBERS, admin)).map(({ number }) => number)).toEqual(['57002', '57001']);
    await allow({ client_management: true });
    expect((await call('DELETE', `${NUMBERS}/${own}`, admin)).status).toBe(200);
    expect(refusal(await call('DELETE', `${NUMBERS}/${own}`, admin))).toEqual([404, 'Inbound number not found']);
    for (const method of ['GET', 'POST'])
      expect((await call(method, NUMBERS, client, method === 'POST' ? {} : undefined)).status).toBe(403);
    expect((await call('DELETE', `${NUMBERS}/${ofStaff}`, root)).status).toBe(200);
  });

  it('are bounded for an account and for a number, also when they come at once', async () => {
    const [member, other] = [await campaigns.join(), await campaigns.join()];
    const { dataSource } = campaigns;
    const fill = (count: number, number: string, keyword: string, owner: Member): Promise<unknown> =>
      dataSource.query(
        `INSERT INTO inbound_numbers (number, route_id, keyword, account_id, created_at)
         WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
         SELECT ${number}, (SELECT id FROM routes WHERE name = 'main'), ${keyword}, ?, UTC_TIMESTAMP(3) FROM n`,
        [count, owner.account.id],
      );
    await fill(998, "CONCAT('6', i)", "''", member);
    const answers = await Promise.all(['71', '72', '73', '74', '75'].map((number) => add(number, member)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 400, 400, 400]);
    expect(answers.find(({ status }) => status === 400)?.body['message']).toBe(
      'At most 1000 inbound numbers are allowed',
    );
    await fill(199, "'8800'", "CONCAT('W', i)", other);
    expect((await add('8800', other, 'last')).status).toBe(201);
    expect(refusal(await add('8800', member, 'one more'.slice(0, 3)))[0]).toBe(400);
    expect(refusal(await add('8800', await campaigns.join(), 'more'))).toEqual([
      400,
      'At most 200 keywords of a number are allowed',
    ]);
    const [kept] = await dataSource.query<{ count: string }[]>(
      "SELECT COUNT(*) AS count FROM inbound_numbers WHERE number = '8800'",
    );
    expect(Number(kept?.count)).toBe(200);
    const page = await call('GET', `${NUMBERS}?limit=5`, root);
    expect([listOf(page).length, page.body['next_cursor']]).toEqual([5, expect.any(String)]);
  });
});
