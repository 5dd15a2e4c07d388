import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { dataOf, type Json, listOf } from '../support/campaigns.js';
import { openPagers, type Pagers } from '../support/pagers.js';
import { RecipientStatus } from '../../src/modules/engine/index.js';
import { readBlock } from '../../src/modules/engine/state/own-variables.js';
import { expectRefused, type Member } from '../support/sms.js';

const [PLAIN, NAMED, DEAR, DETOUR] = ['919812345671', '919812345672', '919812345673', '919812345674'] as const;
const NUMBERS = [PLAIN, NAMED, DEAR, DETOUR];
const NOT_ENOUGH = 'Insufficient credits. Available: 7, Required: 8';
const WAIT = { timeout: 60_000, interval: 50 };

/** What owners see of recipients with terms of their own, and what a retry takes along; the pager costs 2 a page. */
describe('a campaign whose recipients have terms of their own', () => {
  let campaigns: Pagers;
  let owner: Member;
  let detour: number;
  let terms: (Json | null)[];
  let requestId: string;

  const send = (numbers: readonly string[], own: readonly (Json | null)[]): Promise<string> =>
    campaigns.page(owner, 'Hi {{name}}', numbers, { terms: own, schedule_time: '2099-01-01T00:00:00Z' });

  beforeAll(async () => {
    campaigns = await openPagers();
    owner = await campaigns.join(100);
    await campaigns.addGateway('gateway', true);
    detour = await campaigns.addGateway('detour', false);
    terms = [
      null,
      { variables: { name: 'Zoë', room: '7' } },
      { credits: 9, sender: 'Ward' },
      { credits: 0, routeId: detour },
    ];
    requestId = await send(NUMBERS, terms);
  });
  afterAll(() => campaigns.stop());

  const of = (id: string, rest: string) => campaigns.get(`/v6/api/campaigns/${id}/${rest}`, owner);
  const retry = (id: string) => campaigns.act(`/v6/api/campaigns/${id}/retry-failed`, owner);
  const credits = async (id: string): Promise<unknown[]> =>
    listOf(await of(id, 'contacts')).map((contact) => contact['credits']);
  /** As if the carriers had refused these recipients, and delivered to the others. @param seqs none = everybody */
  const fail = async (id: string, seqs = [0]): Promise<void> => {
    const rows = 'FROM campaigns WHERE request_id = ?';
    await campaigns.dataSource.query(
      `UPDATE campaign_recipients SET status = IF(seq IN (?) OR ? = 0, ${RecipientStatus.Failed}, ${RecipientStatus.Delivered})
       WHERE campaign_id = (SELECT id ${rows})`,
      [seqs, seqs[0], id],
    );
    await campaigns.dataSource.query(`DELETE FROM campaign_lanes WHERE campaign_id = (SELECT id ${rows})`, [id]);
    await campaigns.dataSource.query("UPDATE campaigns SET state = 'completed', open_lanes = 0 WHERE request_id = ?", [
      id,
    ]);
  };
  /** Rows of `recipient_terms` as the retry wrote them. */
  const stored = async (id: string): Promise<unknown[]> =>
    (
      await campaigns.dataSource.query<Json[]>(
        `SELECT t.seq, t.lane_group, t.credits, t.sender, t.route_id FROM recipient_terms t
         WHERE t.campaign_id = (SELECT id FROM campaigns WHERE request_id = ?) ORDER BY t.seq`,
        [id],
      )
    ).map((row) => Object.values(row));
  /** Rows of `recipient_variables` likewise. */
  const variables = async (id: string): Promise<unknown[]> =>
    (
      await campaigns.dataSource.query<{ block: number; variables: string }[]>(
        `SELECT v.block, v.variables FROM recipient_variables v
         WHERE v.campaign_id = (SELECT id FROM campaigns WHERE request_id = ?) ORDER BY v.block`,
        [id],
      )
    ).map((row) => [row.block, readBlock(row.variables)]);

  /** The lines of the export. */
  const file = async (id: string): Promise<string[]> => {
    const response = await fetch(`${campaigns.url}/v6/api/campaigns/${id}/export.csv`, {
      headers: { authorization: `Bearer ${owner.token}` },
    });
    return (await response.text()).trim().split('\r\n');
  };

  it('shows the sum that was charged, and what each recipient costs', async () => {
    expect(await campaigns.credits(owner)).toBe(100 - 2 - 2 - 9);
    expect(await campaigns.view(requestId, owner)).toMatchObject({ credits: 13, total_rows: 4 });
    expect(await credits(requestId)).toEqual([2, 2, 9, 0]);
    expect(listOf(await of(requestId, 'contacts?status=nonsense'))).toEqual([]);
    const [dear] = listOf(await of(requestId, 'contacts?limit=1&page=3'));
    expect(dear).toMatchObject({ receiver: DEAR, credits: 9 });
  });

  it('tells price and sender at the begin of the timeline', async () => {
    const queued = async (seq: number): Promise<unknown> => {
      const { events } = dataOf(await of(requestId, `contacts/${seq}/timeline`)) as { events: Json[] };
      return events.find(({ event }) => event === 'queued')?.['details'];
    };
    expect(await Promise.all([1, 3, 4].map(queued))).toEqual([
      { credits: 2, text: 'Hi ', segments: 1 },
      { credits: 9, text: 'Hi ', segments: 1, sender: 'Ward' },
      { credits: 0, text: 'Hi ', segments: 1 },
    ]);
    const plain = await campaigns.page(owner, 'Hi', [PLAIN], { schedule_time: '2099-01-01T00:00:00Z' });
    const { events } = dataOf(await of(plain, 'contacts/1/timeline')) as { events: Json[] };
    expect(events[0]).toMatchObject({ event: 'queued', details: { credits: 2 } });
    expect(listOf(await of(plain, 'contacts'))).toMatchObject([{ credits: 2 }]);
    const [header = '', line] = await file(plain);
    expect(line?.split(',')[header.split(',').indexOf('credits')]).toBe('2');
    await campaigns.act(`/v6/api/campaigns/${plain}/cancel`, owner);
    await vi.waitFor(async () => expect(await campaigns.credits(owner)).toBe(87), WAIT);
  });

  it('is exported with a column of its own', async () => {
    const [header = '', ...lines] = await file(requestId);
    expect(header).toMatch(/,updated_at,credits,/);
    const column = header.split(',').indexOf('credits');
    expect(lines.map((line) => line.split(',')[column])).toEqual(['2', '2', '9', '0']);
  });

  it('takes variables and senders of its failed recipients along into a retry, which costs what a send costs now', async () => {
    await fail(requestId);
    const before = Number(await campaigns.credits(owner));
    const child = dataOf(await retry(requestId));
    expect(child).toMatchObject({ retry_of: requestId, total_rows: 4, credits: 8 });
    const id = String(child['request_id']);
    expect(await campaigns.credits(owner)).toBe(before - 8);
    expect(await stored(id)).toEqual([[3, 0, null, 'Ward', null]]);
    expect(await variables(id)).toEqual([[0, [undefined, { name: 'Zoë', room: '7' }, undefined, undefined]]]);
    expect(await campaigns.view(id, owner)).toMatchObject({ credits: 8, total_rows: 4 });
    expect(await credits(id)).toEqual([2, 2, 2, 2]);
    expectRefused(await retry(requestId), 409, 'Campaign has no failed recipients');
  });

  it('gives the recipients of a retry their new places, and a plain one no terms at all', async () => {
    const mixed = await send(NUMBERS, terms);
    await fail(mixed, [3, 4]);
    const part = dataOf(await retry(mixed));
    expect(part).toMatchObject({ total_rows: 2, credits: 4 });
    expect(await stored(String(part['request_id']))).toEqual([[1, 0, null, 'Ward', null]]);
    expect(await variables(String(part['request_id']))).toEqual([]);
    const other = await send(NUMBERS, terms);
    await fail(other, [1]);
    const plain = dataOf(await retry(other));
    expect(plain).toMatchObject({ total_rows: 1, credits: 2 });
    const [row] = await campaigns.dataSource.query<Json[]>(
      'SELECT own_terms, charged_credits FROM campaigns WHERE request_id = ?',
      [plain['request_id']],
    );
    expect([row, await stored(String(plain['request_id']))]).toEqual([{ own_terms: 0, charged_credits: 2 }, []]);
  });

  it('is refused a retry by the sum of what failed, also after another retry took some', async () => {
    const poor = await campaigns.join(13 + 7);
    const mine = await campaigns.page(poor, 'Hi', NUMBERS, { terms, schedule_time: '2099-01-01T00:00:00Z' });
    await fail(mine);
    expectRefused(await campaigns.act(`/v6/api/campaigns/${mine}/retry-failed`, poor), 400, NOT_ENOUGH);
    await fail(mine, [1]);
    expect((await campaigns.act(`/v6/api/campaigns/${mine}/retry-failed`, poor)).status).toBe(200);
    await fail(mine);
    const left = await campaigns.act(`/v6/api/campaigns/${mine}/retry-failed`, poor);
    expectRefused(left, 400, 'Insufficient credits. Available: 5, Required: 6');
  });

  it('keeps a route from being removed while it still carries recipients', async () => {
    const admin = await campaigns.join(0, { userType: 'admin' });
    const waiting = await send([DEAR, DETOUR], [null, { routeId: detour }]);
    const headers = { authorization: `Bearer ${admin.token}` };
    const remove = () => fetch(`${campaigns.url}/v6/api/admin/routes/detour`, { method: 'DELETE', headers });
    expect((await remove()).status).toBe(409);
    await fail(waiting);
    await campaigns.dataSource.query(
      "UPDATE campaigns SET open_lanes = 0, state = 'completed' WHERE state <> 'completed'",
    );
    expect((await remove()).status).toBe(200);
  });
});
