import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AccountDirectory } from '../../src/modules/accounts/index.js';
import { type Bulk, openBulk } from '../support/bulk.js';
import { dataOf, type Json, listOf } from '../support/campaigns.js';
import { expectRefused, type Member } from '../support/sms.js';

const SMS = { channel: 'sms', broadcast_name: 'Codes', message: 'Hi {{name}}' };
const [ASHA, RAVI, LONG, SHORT] = ['919812345678', '919812345679', '5511961234567', '551161234567'];
const named = (to: unknown, name?: unknown): Json => ({ to, variables: name === undefined ? {} : { name } });
const duplicate = (row: number, value: string): Json => ({
  row,
  value,
  reason: 'duplicate',
  message: 'the person is in an earlier row',
});

let bulk: Bulk;
let member: Member;

beforeAll(async () => {
  bulk = await openBulk();
  member = await bulk.join({ gsm_credits: 10_000 });
});
afterAll(() => bulk.stop());

const receivers = async (data: Json): Promise<unknown[]> =>
  listOf(await bulk.get(`/v6/api/campaigns/${String(data['request_id'])}/contacts`, member)).map(
    ({ receiver }) => receiver,
  );
const upload = async (csv: string): Promise<number> => {
  const headers = { 'content-type': 'text/csv', authorization: `Bearer ${member.token}` };
  const answer = await bulk.request('/v6/api/uploads', { method: 'POST', headers, body: csv });
  return Number(dataOf(answer)['upload_id']);
};

/** What a quote says and what a send does must be the same. */
async function sent(body: Json): Promise<{ quote: Json; data: Json; paid: number }> {
  const quote = dataOf(await bulk.quote(member, body));
  const before = await bulk.credits(member);
  const data = await bulk.accepted(member, body);
  const paid = before - (await bulk.credits(member));
  expect(data).toMatchObject({ recipients: quote['recipients'], credits: quote['credits'] });
  expect([data['skipped'], data['skipped_count']]).toEqual([quote['skipped'], quote['skipped_count']]);
  expect([quote['refused'], quote['invalid'], quote['missing']]).toEqual([0, [], []]);
  expect(paid).toBe(data['credits']);
  return { quote, data, paid };
}

describe('a send that removes duplicates', () => {
  it('goes to a person once, to the number that comes first, with its values', async () => {
    const recipients = [
      named(LONG, 'Ana'),
      named(ASHA, 'Asha'),
      named(SHORT, 'Ana again'),
      named(`+${ASHA}`, 'A'.repeat(200)),
      named(RAVI, 'Ravi'),
    ];
    const { data, paid } = await sent({ ...SMS, recipients, remove_duplicates: true });
    expect(data).toMatchObject({
      recipients: 3,
      skipped_count: 2,
      skipped: [duplicate(3, SHORT), duplicate(4, ASHA)],
      duplicates_count: 2,
    });
    expect(paid).toBe(3);
    expect(await receivers(data)).toEqual([LONG, ASHA, RAVI]);
    expect(await bulk.variables(data['request_id'])).toEqual([{ name: 'Ana' }, { name: 'Asha' }, { name: 'Ravi' }]);
  });

  it('does so with numbers alone, and with an upload', async () => {
    const contacts = [ASHA, RAVI, `00${ASHA}`];
    const plain = await sent({ ...SMS, message: 'Hi', contacts, remove_duplicates: true });
    expect(plain.data).toMatchObject({ recipients: 2, skipped: [duplicate(3, ASHA)] });
    const id = await upload(`to,name\n${[ASHA, RAVI, ASHA].join(',x\n')},x\n`);
    const held = await sent({ ...SMS, upload_id: id, remove_duplicates: true });
    expect(held.data).toMatchObject({ recipients: 2, skipped: [duplicate(3, ASHA)] });
    expect(await receivers(held.data)).toEqual([ASHA, RAVI]);
  });

  it('is still refused for rows at fault', async () => {
    const recipients = [named(ASHA, 'Asha'), named(ASHA, 'Asha'), named(RAVI)];
    expectRefused(
      await bulk.bulk(member, { ...SMS, recipients, remove_duplicates: true }),
      400,
      'Some recipients have no value for a placeholder',
    );
    expectRefused(
      await bulk.bulk(member, { ...SMS, recipients: [...recipients, named('12', 'x')], remove_duplicates: true }),
      400,
      'Some recipients are invalid',
    );
  });
});

describe('a send that skips rows at fault', () => {
  it('leaves out what it would be refused for, and tells of each', async () => {
    const recipients = [
      named('9198123456780.0', 'Asha'),
      named(ASHA),
      named(ASHA, 'Asha'),
      named(RAVI, { no: 'text' }),
      named(RAVI, 'A'.repeat(300)),
      named(RAVI, 'Ravi'),
      named(RAVI, 'Ravi'),
    ];
    const { data } = await sent({ ...SMS, recipients, skip_invalid: true });
    expect(data).toMatchObject({ recipients: 4, skipped_count: 3 });
    expect((data['skipped'] as Json[]).map(({ row, reason }) => [row, reason])).toEqual([
      [1, 'number_invalid'],
      [4, 'variables_invalid'],
      [2, 'variables_missing'],
    ]);
    expect(await receivers(data)).toEqual([ASHA, RAVI, RAVI, RAVI]);
    const both = await sent({ ...SMS, recipients, skip_invalid: true, remove_duplicates: true });
    expect(both.data).toMatchObject({ recipients: 2, skipped_count: 5 });
    expect(await receivers(both.data)).toEqual([ASHA, RAVI]);
  });

  it('does so with an upload, a list and numbers that the channel or the account refuses', async () => {
    const id = await upload(`to,name\n${ASHA},Asha\n${RAVI},\n12345678,Bo\n`);
    const { data } = await sent({ ...SMS, upload_id: id, skip_invalid: true });
    expect(data).toMatchObject({ recipients: 1, skipped_count: 2 });
    const strict = await bulk.join({ gsm_credits: 10 });
    await bulk.dataSource.query("UPDATE accounts SET number_check = 'refuse' WHERE id = ?", [strict.account.id]);
    bulk.part(AccountDirectory).forget(strict.account.id);
    const refused = await bulk.accepted(strict, {
      ...SMS,
      message: 'Hi',
      contacts: [ASHA, '551199988777'],
      skip_invalid: true,
    });
    expect(refused).toMatchObject({ recipients: 1, skipped: [{ row: 2, value: '551199988777' }] });
  });

  it('is refused where nobody is left, and charges nothing', async () => {
    const before = await bulk.credits(member);
    const options = { skip_invalid: true, remove_duplicates: true };
    expectRefused(
      await bulk.bulk(member, { ...SMS, recipients: [named(ASHA)], ...options }),
      400,
      'Some recipients cannot be sent to',
    );
    expectRefused(
      await bulk.bulk(member, { ...SMS, recipients: [named('x', 'x')], ...options }),
      400,
      'Some recipients are invalid',
    );
    expect(await bulk.credits(member)).toBe(before);
  });

  it('names a hundred of many, and counts all', async () => {
    const recipients = Array.from({ length: 6_000 }, (_, at) =>
      named(String(919_812_000_000 + at), at < 150 ? undefined : 'x'),
    );
    const { data } = await sent({ ...SMS, recipients, skip_invalid: true });
    expect(data).toMatchObject({ recipients: 5_850, skipped_count: 150 });
    expect(data['skipped']).toHaveLength(100);
  });
});

it.each(['remove_duplicates', 'skip_invalid'])('%s is true or false', async (field) => {
  const body = { ...SMS, message: 'Hi', contacts: [ASHA], [field]: 'yes' };
  expectRefused(await bulk.bulk(member, body), 400, `${field} must be true or false`);
  expectRefused(await bulk.quote(member, body), 400, `${field} must be true or false`);
  const data = await bulk.accepted(member, { ...body, [field]: false });
  expect(data).not.toHaveProperty('skipped');
});

describe('the file of what a send leaves out', () => {
  const file = async (
    body: Json,
    who: Member | null = member,
  ): Promise<{ status: number; lines: string[]; body: string }> => {
    const answer = await fetch(`${bulk.url}/v6/api/campaigns/skipped.csv`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(who && { authorization: `Bearer ${who.token}` }) },
      body: JSON.stringify(body),
    });
    const text = await answer.text();
    return { status: answer.status, lines: text.split('\r\n'), body: text };
  };
  const BOTH = { skip_invalid: true, remove_duplicates: true };

  it('has all rows, of a body and of an upload, and costs nothing', async () => {
    const before = await bulk.credits(member);
    const recipients = Array.from({ length: 6_000 }, (_, at) =>
      named(at % 2 === 0 ? '=12' : String(919_812_000_000 + (at % 4)), at === 1 ? undefined : 'x'),
    );
    const of = await file({ ...SMS, recipients, ...BOTH });
    expect(of.status).toBe(200);
    expect(of.lines).toHaveLength(1 + 3_000 + 1 + 2_997 + 1);
    expect(of.lines.slice(0, 2)).toEqual([
      'row,value,reason,message',
      '1,\'=12,number_invalid,"number has other characters than digits, + - . / ( ) and blanks"',
    ]);
    expect(of.lines.slice(3_001, 3_003)).toEqual([
      '2,919812000001,variables_missing,no value for name',
      '8,919812000003,duplicate,the person is in an earlier row',
    ]);
    const id = await upload(`to,name\n${ASHA},x\n${ASHA},x\n12345678,x\n`);
    expect((await file({ ...SMS, upload_id: id, ...BOTH })).lines.slice(1, -1)).toEqual([
      '3,12345678,number_invalid,number is none that the channel takes',
      `2,${ASHA},duplicate,the person is in an earlier row`,
    ]);
    expect((await file({ ...SMS, recipients })).lines).toEqual(['row,value,reason,message', '']);
    expect(await bulk.credits(member)).toBe(before);
  });

  it('is refused as the send is', async () => {
    expect(await file({ ...SMS, upload_id: 1, ...BOTH })).toMatchObject({ status: 404 });
    expect((await file({ ...SMS, contacts: [ASHA], skip_invalid: 1 })).body).toContain(
      'skip_invalid must be true or false',
    );
    expect(await file({ ...SMS, contacts: [ASHA] }, null)).toMatchObject({ status: 401 });
  });
});
