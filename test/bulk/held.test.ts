import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AccountDirectory } from '../../src/modules/accounts/index.js';
import { type Bulk, openBulk } from '../support/bulk.js';
import { dataOf, type Json, listOf } from '../support/campaigns.js';
import { type Answer, expectRefused, type Member } from '../support/sms.js';

const SMS = { channel: 'sms', broadcast_name: 'Codes', message: 'Hi {{name|there}}' };
const [GOOD, SHORT] = ['919812345678', '123456789'];
/** a mobile number of nine digits, which Brazil gave up */
const GONE = '551199988777';

let bulk: Bulk;
let member: Member;

beforeAll(async () => {
  bulk = await openBulk();
  member = await bulk.join({ gsm_credits: 1_000 });
});
afterAll(() => bulk.stop());

const upload = async (csv: string): Promise<number> => {
  const answer = await bulk.request('/v6/api/uploads', {
    method: 'POST',
    headers: { 'content-type': 'text/csv', authorization: `Bearer ${member.token}` },
    body: csv,
  });
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return Number(dataOf(answer)['upload_id']);
};
const receivers = async (data: Json): Promise<unknown[]> =>
  listOf(await bulk.get(`/v6/api/campaigns/${String(data['request_id'])}/contacts`, member)).map(
    ({ receiver }) => receiver,
  );
const list = async (members: Json[]): Promise<number> => {
  const id = Number(dataOf(await bulk.post('/v6/api/lists', member, { name: 'Customers' }))['list_id']);
  const added = await bulk.post(`/v6/api/lists/${id}/members`, member, { members });
  expect(added.status, JSON.stringify(added.body)).toBeLessThan(300);
  return id;
};

describe('a personalised send to an upload or a list', () => {
  it('takes the columns of a file for variables', async () => {
    const upload_id = await upload(
      `phone,name,city\n+91 98123 45678,Asha,Pune\n919812345679,,Goa\n919812345670,${'x'.repeat(160)},\n`,
    );
    const quote = dataOf(await bulk.quote(member, { ...SMS, upload_id }));
    expect(quote).toMatchObject({ recipients: 3, total_credits: 4, refused: 0 });
    const data = await bulk.accepted(member, { ...SMS, upload_id });
    expect(data).toMatchObject({ recipients: 3, credits: 4, warned: 0 });
    expect(Object.keys(data)).not.toContain('duplicates');
    expect(await receivers(data)).toEqual([GOOD, '919812345679', '919812345670']);
    expect(await bulk.variables(data['request_id'])).toEqual([{ name: 'Asha' }, null, { name: 'x'.repeat(160) }]);
    const gap = await bulk.bulk(member, { ...SMS, message: 'Hi {{name}}', upload_id: String(upload_id) });
    expect(gap.body).toMatchObject({
      statusCode: 400,
      message: 'Some recipients have no value for a placeholder',
      errors: [{ row: 2, value: '919812345679', missing: ['name'] }],
    });
  });

  it('freezes a list once it is accepted, and not by a quote or a refusal', async () => {
    const list_id = await list([{ to: GOOD, variables: { name: 'Asha' } }, { to: '919812345679' }]);
    const add = (): Promise<Answer> =>
      bulk.post(`/v6/api/lists/${list_id}/members`, member, { members: [{ to: '919812345670' }] });
    expect((await bulk.quote(member, { ...SMS, list_id })).status).toBe(200);
    expect((await bulk.bulk(member, { ...SMS, message: '{{name}}', list_id })).status).toBe(400);
    expect((await add()).status).toBeLessThan(300);
    const data = await bulk.accepted(member, { ...SMS, list_id });
    expect(data).toMatchObject({ recipients: 3, credits: 3 });
    expectRefused(await add(), 409, 'List is frozen');
    expect((await bulk.bulk(member, { ...SMS, list_id })).status).toBe(202);
  });

  it(
    'is quoted two at a time, and lets eight wait: quotes of bodies and of others go on',
    { timeout: 60_000 },
    async () => {
      const list_id = await list([{ to: GOOD }]);
      const busy = await bulk.join({ gsm_credits: 10 });
      const upload_id = await upload(`to\n${GOOD}\n`);
      const quoted = () => bulk.quote(member, { ...SMS, list_id });
      const lock = bulk.dataSource.createQueryRunner();
      await lock.query('LOCK TABLES recipient_list_members WRITE');
      const quotes = Array.from({ length: 11 }, quoted);
      try {
        const refused = await Promise.race(quotes);
        expectRefused(refused, 429, 'Too many requests. Please try again later.');
        expect(refused.headers.get('retry-after')).toBe('15');
        expect((await bulk.quote(member, { ...SMS, contacts: [GOOD] })).status).toBe(200);
        expectRefused(await bulk.quote(busy, { ...SMS, upload_id }), 404, 'Upload not found');
      } finally {
        await lock.query('UNLOCK TABLES');
        await lock.release();
      }
      const statuses = (await Promise.all(quotes)).map(({ status }) => status);
      expect(statuses.toSorted()).toEqual([...Array.from({ length: 10 }, () => 200), 429]);
    },
  );

  it("is none of another account's", async () => {
    const other = await bulk.join({ gsm_credits: 10 });
    const upload_id = await upload(`to\n${GOOD}\n`);
    expectRefused(await bulk.bulk(other, { ...SMS, upload_id }), 404, 'Upload not found');
    expectRefused(await bulk.bulk(other, { ...SMS, list_id: await list([{ to: GOOD }]) }), 404, 'List not found');
  });
});

describe('number_check of the account', () => {
  const wish = async (mode: string): Promise<void> => {
    await bulk.dataSource.query('UPDATE accounts SET number_check = ? WHERE id = ?', [mode, member.account.id]);
    bulk.part(AccountDirectory).forget(member.account.id);
  };
  const both = { ...SMS, recipients: [{ to: GOOD }, { to: SHORT }] };
  const message = expect.stringMatching(/^number is invalid: /) as unknown;
  const fault = { row: 2, value: SHORT, reason: 'number_invalid', message };
  /** a hint about an entry of a list of the body */
  const hint = (field: string, index: number, value: string, more: Json = {}): Json => ({
    code: 'number_looks_wrong',
    field,
    index,
    value,
    reason: expect.any(String) as string,
    message,
    ...more,
  });

  it('off takes what the channel takes, warn tells, refuse refuses', async () => {
    await wish('off');
    const off = await bulk.bulk(member, both);
    expect(off.body).toMatchObject({ data: { recipients: 2, warned: 0 } });
    expect(off.body).not.toHaveProperty('warnings');
    await wish('warn');
    const told = await bulk.bulk(member, both);
    expect(told.body).toMatchObject({
      data: { recipients: 2, warned: 1 },
      warnings: [hint('recipients', 1, SHORT)],
    });
    expect(told.body['data']).not.toHaveProperty('warnings');
    const plain = { ...SMS, message: 'Hi', contacts: [GOOD, SHORT] };
    expect((await bulk.bulk(member, plain)).body).toMatchObject({
      data: { warned: 1 },
      warnings: [hint('contacts', 1, SHORT)],
    });
    const list_id = await list([{ to: GOOD }, { to: SHORT }]);
    const { warnings: ofList } = (await bulk.bulk(member, { ...SMS, list_id })).body as { warnings: Json[] };
    expect(ofList).toEqual([
      {
        code: 'number_looks_wrong',
        row: expect.any(Number) as number,
        value: SHORT,
        reason: expect.any(String) as string,
        message,
      },
    ]);
    const gone = {
      row: 1,
      value: GONE,
      reason: 'number_invalid',
      country: 'BR',
      message: 'number is invalid: no such number',
    };
    const many = [{ to: GONE }, ...Array.from({ length: 149 }, () => ({ to: SHORT }))];
    const warnedOf = (await bulk.bulk(member, { ...SMS, recipients: many })).body;
    expect(warnedOf['data']).toMatchObject({ recipients: 150, warned: 150 });
    const hints = warnedOf['warnings'] as Json[];
    const ofGone = hint('recipients', 0, GONE, { reason: 'no_such_number', country: 'BR' });
    expect([hints.length, hints[0]]).toEqual([100, ofGone]);
    expect((await bulk.quote(member, both)).body).toMatchObject({
      data: { recipients: 2, warned: 1 },
      warnings: [hint('recipients', 1, SHORT)],
    });
    await wish('refuse');
    const quoted = dataOf(await bulk.quote(member, { ...SMS, recipients: [{ to: GONE }] }));
    expect(quoted['invalid']).toEqual([gone]);
    const refusedOf = await bulk.bulk(member, { ...SMS, recipients: [{ to: GONE }] });
    expect(refusedOf.body['errors']).toEqual([gone]);
    for (const body of [both, plain]) {
      const answer = await bulk.bulk(member, body);
      expect(answer.body).toMatchObject({ statusCode: 400, message: 'Some numbers are invalid', errors: [fault] });
    }
    expect(dataOf(await bulk.quote(member, both))).toMatchObject({ recipients: 1, refused: 1, invalid: [fault] });
    expect(await bulk.send(member, [SHORT])).toMatch(/^GSMCAMP_/);
  });
});
