import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { dataOf, type Json } from '../support/campaigns.js';
import { csvOf, numbered, openRecipients, type Recipients } from '../support/recipients.js';
import { type Answer, expectRefused, type Member } from '../support/sms.js';

const PATH = '/v6/api/lists';
const MOST = 12_000;
const TOO_MANY = `At most ${MOST} members of a list are allowed`;

/** What is accepted is what stands just within the limit. */
describe('a list holds as many members as it may', () => {
  let recipients: Recipients;
  let member: Member;

  beforeAll(async () => {
    recipients = await openRecipients({ MEMBERS_PER_LIST: MOST });
  });
  afterAll(() => recipients.stop());
  beforeEach(async () => {
    member = await recipients.join({ gsm_credits: MOST });
  });

  const post = (id: number, body: Json): Promise<Answer> =>
    recipients.send('POST', `${PATH}/${id}/members`, member, body);
  const find = async (id: number): Promise<Json> => dataOf(await recipients.get(`${PATH}/${id}`, member));
  /** How many stand in the table, and how many the list says it has. */
  const expectHeld = async (id: number, count: number): Promise<void> => {
    const [row] = await recipients.dataSource.query<{ n: number }[]>(
      'SELECT COUNT(*) AS n FROM recipient_list_members WHERE list_id = ?',
      [id],
    );
    expect([Number(row?.n), (await find(id))['members']]).toEqual([count, count]);
  };

  it('by JSON, and not one more', async () => {
    const id = await recipients.listed(member, numbered(10_000));
    const last = await post(id, { members: numbered(MOST - 10_000, 10_000) });
    expect(dataOf(last)).toMatchObject({ added: MOST - 10_000, duplicates_count: 0 });
    await expectHeld(id, MOST);
    expectRefused(await post(id, { members: numbered(1, MOST) }), 400, TOO_MANY);
    expectRefused(await post(id, { members: numbered(2, MOST - 1) }), 400, TOO_MANY);
    await expectHeld(id, MOST);
    // those that it has may come again
    const again = await post(id, { members: [{ to: numbered(1)[0]?.to, variables: { name: 'Asha' } }] });
    expect(dataOf(again)).toMatchObject({ added: 0, duplicates_count: 1 });
    const [first] = await recipients.members(member, id, '?limit=1');
    expect(first).toMatchObject({ variables: { name: 'Asha' } });
    // where one leaves, another has room
    await recipients.send('DELETE', `${PATH}/${id}/members/${String(first?.['to'])}`, member);
    expect(dataOf(await post(id, { members: numbered(1, MOST) }))).toMatchObject({ added: 1 });
    await expectHeld(id, MOST);
  });

  it('by an upload, and not one more', async () => {
    const upload = await recipients.uploaded(member, csvOf(MOST));
    const [whole, begun] = [await recipients.listed(member), await recipients.listed(member, numbered(1, MOST))];
    expect(dataOf(await post(whole, { upload_id: upload }))).toMatchObject({ added: MOST, duplicates_count: 0 });
    await expectHeld(whole, MOST);
    expect(dataOf(await post(whole, { upload_id: upload }))).toMatchObject({ added: 0, duplicates_count: MOST });
    await expectHeld(whole, MOST);
    expectRefused(await post(begun, { upload_id: upload }), 400, TOO_MANY);
  });

  it('as the copy of another, and is sent to', async () => {
    const upload = await recipients.uploaded(member, csvOf(MOST));
    const id = await recipients.listed(member);
    await post(id, { upload_id: upload });
    const made = await recipients.send('POST', PATH, member, { name: 'Copy', from_list_id: id });
    expect(made.status).toBe(201);
    const copy = dataOf(made)['list_id'] as number;
    await expectHeld(copy, MOST);
    const schedule_time = '2099-01-01T00:00:00Z';
    const send = { channel: 'sms', broadcast_name: 'All', message: 'No. {{n}}', list_id: copy, schedule_time };
    const sent = await recipients.post('/v6/api/campaigns', member, send);
    expect(sent.status, JSON.stringify(sent.body)).toBe(202);
    expect(dataOf(sent)).toMatchObject({ recipients: MOST, credits: MOST });
    expect(await find(copy)).toMatchObject({ members: MOST, frozen: true });
  });
});
