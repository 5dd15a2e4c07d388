import { type ClientRequest, request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Channel, Channels, RecipientStatus } from '../../src/modules/engine/index.js';
import { openCampaigns, type Campaigns, dataOf, type Json, listOf } from '../support/campaigns.js';
import { expectRefused, type Member } from '../support/sms.js';
import { storeCampaign } from '../support/stored-campaign.js';

const NOT_FOUND = 'Campaign not found';
const POOL = 12;
const path = (requestId: string, rest: string): string => `/v6/api/campaigns/${requestId}/${rest}`;
const receivers = (count: number): string[] => Array.from({ length: count }, (_, i) => String(919_812_345_000 + i));

let campaigns: Campaigns;
let owner: Member;
let admin: Member;

beforeAll(async () => {
  campaigns = await openCampaigns();
  owner = await campaigns.join(100_000, { timeZone: 'Asia/Kolkata' });
  admin = await campaigns.join(0, { userType: 'super' });
});
afterAll(() => campaigns.stop());

describe('contacts', () => {
  let requestId: string;
  beforeAll(async () => {
    requestId = await campaigns.send(owner, receivers(6));
    await campaigns.begin(requestId);
    await campaigns.submit(requestId, 1, 'ct-1');
    await campaigns.submit(requestId, 2, 'ct-2');
    await campaigns.receipt(requestId, 'ct-2', 'delivered');
    await campaigns.settle(requestId, [3], RecipientStatus.Failed, 'Absent "subscriber"');
    await campaigns.settle(requestId, [5], RecipientStatus.Unknown);
  });

  it('answer exactly the fields of reference/campaigns#contacts, in the order of the contacts', async () => {
    const answer = await campaigns.get(path(requestId, 'contacts'), owner);
    expect(answer.body).toMatchObject({ success: true, page: 1, limit: 50, total: 6 });
    const updated_at = expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/) as unknown;
    const base = { status_code: 0, error_code: null, errorMessage: null, attempts: 1, provider_message_id: null };
    const row = (seq: number, status: string, other: Json = {}): Json => ({
      ...{ seq, receiver: receivers(6)[seq - 1], status, ...base, updated_at, credits: 1 },
      ...other,
    });
    expect(listOf(answer)).toEqual([
      row(1, 'SENT', { provider_message_id: 'ct-1' }),
      row(2, 'DELIVERED', { provider_message_id: 'ct-2', attempts: 1 }),
      row(3, 'FAILED', {
        ...{ status_code: 1, errorMessage: 'Absent "subscriber"' },
        reason_text: 'The carrier could not deliver the message. Retry later.',
      }),
      row(4, 'PP1', { attempts: 0 }),
      row(5, 'PP1'),
      row(6, 'PP1', { attempts: 0 }),
    ]);
    expect(Object.keys(listOf(answer)[0] ?? {})).toEqual(
      'seq receiver status status_code error_code errorMessage attempts provider_message_id updated_at credits'.split(
        ' ',
      ),
    );
    expect((await campaigns.get(path(requestId, 'contacts'), admin)).body).toEqual(answer.body);
  });

  it('are filtered by the channel’s word, in pages', async () => {
    const seqs = async (query: string): Promise<[unknown[], unknown]> => {
      const answer = await campaigns.get(path(requestId, `contacts?${query}`), owner);
      return [listOf(answer).map((contact) => contact['seq']), answer.body['total']];
    };
    expect(await seqs('status=PP1')).toEqual([[4, 5, 6], 3]);
    expect(await seqs('status=pp1&limit=2&page=2')).toEqual([[6], 3]);
    expect(await seqs('status=SENT')).toEqual([[1], 1]);
    expect(await seqs('limit=4&page=2')).toEqual([[5, 6], 6]);
    expect(await seqs('page=3&limit=4')).toEqual([[], 6]);
    expect(await seqs('page=1000000000&limit=1000')).toEqual([[], 6]);
    expect(await seqs('status=READ')).toEqual([[], 0]);
    expect(await seqs('status=nonsense')).toEqual([[], 0]);
    expect(await seqs('status=')).toEqual([[1, 2, 3, 4, 5, 6], 6]);
  });

  it('are found by their number, or by its last digits', async () => {
    const found = async (query: string): Promise<[unknown[], unknown]> => {
      const answer = await campaigns.get(path(requestId, `contacts?${query}`), owner);
      return [listOf(answer).map((contact) => contact['seq']), answer.body['total']];
    };
    expect(await found('number=919812345002')).toEqual([[3], 1]);
    expect(await found(`number=${encodeURIComponent('+91 98123 45002')}`)).toEqual([[3], 1]);
    expect(await found('number=5004')).toEqual([[5], 1]);
    expect(await found('number=5004&status=SENT')).toEqual([[], 0]);
    expect(await found('number=9999')).toEqual([[], 0]);
    const first = await campaigns.get(path(requestId, 'contacts?number=234500&limit=4'), owner);
    expect(listOf(first)).toEqual([]); // only what a number ends with
    expectRefused(await campaigns.get(path(requestId, 'contacts?number=12'), owner), 400, 'number is invalid');
    expectRefused(
      await campaigns.get(path(requestId, 'contacts?number=%25%25%25%25'), owner),
      400,
      'number is invalid',
    );
  });

  it('have the columns of a channel that has some', async () => {
    const details: NonNullable<Channel['details']> = {
      columns: ['duration', 'digits', 'recording_url'],
      of: async (_services, _campaign, recipients) =>
        new Map(recipients.map(({ seq }) => [seq, { duration: seq, digits: '12', recording_url: null }])),
      timeline: async () => [],
    };
    const channels = campaigns.part(Channels);
    const branded = { ...channels.get('branded'), details };
    const given = vi.spyOn(channels, 'get').mockReturnValue(branded);
    const id = await storeCampaign(campaigns.dataSource, owner, 2, [RecipientStatus.Delivered], { channel: 'branded' });
    const [first] = listOf(await campaigns.get(path(id, 'contacts'), owner));
    expect(first).toMatchObject({ status: 'DELIVERED', duration: 1, digits: '12', recording_url: null });
    const text = await (await fetch(campaigns.url + path(id, 'export.csv'), { headers: bearer(owner) })).text();
    expect(text.split('\r\n')[0]).toMatch(/,updated_at,credits,duration,digits,recording_url,carrier_code,refused$/);
    expect(text.split('\r\n')[2]).toMatch(/,2,12,,,$/);
    given.mockRestore();
  });

  it('are nobody else’s', async () => {
    const stranger = await campaigns.join(0);
    for (const rest of ['contacts', 'contacts/1/timeline', 'export.csv', 'events']) {
      expectRefused(await campaigns.get(path(requestId, rest), stranger), 404, NOT_FOUND);
      expectRefused(await campaigns.get(path('no-such', rest), owner), 404, NOT_FOUND);
      expectRefused(await campaigns.get(path(requestId, rest), null), 401, 'Invalid Authorization token');
    }
  });
});

const bearer = (member: Member): Record<string, string> => ({ authorization: `Bearer ${member.token}` });

describe('a timeline', () => {
  const events = async (requestId: string, seq: number): Promise<Json[]> =>
    dataOf(await campaigns.get(path(requestId, `contacts/${seq}/timeline`), owner))['events'] as Json[];
  const words = (list: Json[]): string[] =>
    list.map(({ event, status }) => (typeof status === 'string' ? `${String(event)} ${status}` : String(event)));

  it('tells queued, submitted, receipts and refund with their times', async () => {
    const requestId = await campaigns.send(owner, receivers(7), { schedule_time: '2099-01-01T00:00:00Z' });
    await campaigns.begin(requestId);
    await campaigns.submit(requestId, 1, 'tl-1');
    await campaigns.submit(requestId, 2, 'tl-2');
    await campaigns.receipt(requestId, 'tl-2', 'delivered');
    await campaigns.settle(requestId, [3], RecipientStatus.Failed, 'Number too long for the carrier', true);
    await campaigns.settle(requestId, [4], RecipientStatus.Cancelled, null, true);
    await campaigns.settle(requestId, [5], RecipientStatus.Failed, 'Invalid destination');
    expect(words(await events(requestId, 1))).toEqual(['queued PP1', 'submitted SENT', 'scheduled']);
    const delivered = await events(requestId, 2);
    expect(words(delivered)).toEqual(['queued PP1', 'submitted SENT', 'status DELIVERED', 'scheduled']);
    expect(delivered[1]).toEqual({
      at: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/) as unknown,
      event: 'submitted',
      status: 'SENT',
      details: { provider_message_id: 'tl-2' },
    });
    const refused = await events(requestId, 3);
    expect(words(refused)).toEqual(['queued PP1', 'status FAILED', 'refund', 'scheduled']);
    expect(refused[1]?.['details']).toEqual({ error_code: null, errorMessage: 'Number too long for the carrier' });
    expect(refused[2]?.['details']).toEqual({ balance: 'gsm_credits', credits: 1 });
    expect(words(await events(requestId, 4))).toEqual(['queued PP1', 'status CANCELLED', 'refund', 'scheduled']);
    expect(words(await events(requestId, 5))).toEqual(['queued PP1', 'status FAILED', 'scheduled']);
    expect(words(await events(requestId, 6))).toEqual(['queued PP1', 'scheduled']);
    const whole = await campaigns.get(path(requestId, 'contacts/7/timeline'), admin);
    expect(dataOf(whole)).toMatchObject({ seq: 7, receiver: receivers(7)[6], status: 'PP1' });
  });

  it('keeps the time of the delivery when a message is read, and the refund of refund_failed', async () => {
    const reader = await campaigns.join({ gsm_credits: 100 });
    await campaigns.alter(reader, 'refund_failed', 1);
    const requestId = await campaigns.send(reader, receivers(40));
    await campaigns.begin(requestId);
    const list = async (seq: number): Promise<string[]> =>
      words(dataOf(await campaigns.get(path(requestId, `contacts/${seq}/timeline`), reader))['events'] as Json[]);
    const all = receivers(40).map((_, index) => index + 1);
    // One run of a range, and rows apart: both ways of writing.
    await campaigns.settle(requestId, all, RecipientStatus.Delivered);
    await campaigns.dataSource.query(
      "UPDATE campaign_recipients r JOIN campaigns c ON c.id = r.campaign_id SET r.updated_at = '2026-01-01' WHERE c.request_id = ?",
      [requestId],
    );
    await campaigns.settle(requestId, all.slice(0, 20), RecipientStatus.Read);
    await campaigns.settle(requestId, [22, 24], RecipientStatus.Read);
    for (const seq of [1, 22]) {
      const [{ delivered_at, updated_at } = {}] = await campaigns.dataSource.query<
        { delivered_at?: Date; updated_at?: Date }[]
      >('SELECT delivered_at, updated_at FROM campaign_recipients WHERE campaign_id = ? AND seq = ?', [
        await campaigns.idOf(requestId),
        seq,
      ]);
      expect(delivered_at).toEqual(new Date('2026-01-01T00:00:00Z'));
      expect(updated_at?.getTime()).toBeGreaterThan(Date.UTC(2026, 1, 1));
      expect(await list(seq)).toEqual(['status DELIVERED', 'queued PP1', 'status DELIVERED']);
    }
    expect(await list(21)).toEqual(['status DELIVERED', 'queued PP1']);
    const other = await campaigns.send(reader, receivers(1));
    await campaigns.begin(other);
    await campaigns.settle(other, [1], RecipientStatus.Failed, 'gone');
    const failed = dataOf(await campaigns.get(path(other, 'contacts/1/timeline'), reader))['events'] as Json[];
    expect(words(failed)).toEqual(['queued PP1', 'status FAILED', 'refund']);
  });

  it('is 404 for a seq that is none', async () => {
    const requestId = await campaigns.send(owner, receivers(2));
    for (const seq of ['0', '3', '-1', 'x', '1.5', '01', '99999999999999999999']) {
      expectRefused(await campaigns.get(path(requestId, `contacts/${seq}/timeline`), owner), 404, 'Contact not found');
    }
  });
});

describe('the export', () => {
  it('is RFC 4180, in order, and safe against formulas', async () => {
    const requestId = await storeCampaign(campaigns.dataSource, owner, 3, [RecipientStatus.Failed], {
      errorMessage: '=HYPERLINK("http://x","y")',
    });
    const answer = await fetch(campaigns.url + path(requestId, 'export.csv'), { headers: bearer(owner) });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
    expect(answer.headers.get('content-disposition')).toBe(`attachment; filename="${requestId}.csv"`);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const lines = (await answer.text()).split('\r\n');
    expect(lines).toHaveLength(5);
    expect(lines[0]).toBe(
      'seq,receiver,status,status_code,error_code,errorMessage,attempts,provider_message_id,updated_at,credits,carrier_code,refused',
    );
    expect(lines[1]).toMatch(
      /^1,919800000000,FAILED,1,8,"'=HYPERLINK\(""http:\/\/x"",""y""\)",1,,\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,2,,$/,
    );
    expect(lines[4]).toBe('');
    const head = await fetch(campaigns.url + path(requestId, 'export.csv'), { method: 'HEAD', headers: bearer(owner) });
    expect([head.status, await head.text()]).toEqual([200, '']);
    const none = await fetch(campaigns.url + path(requestId, 'export.csv?status=READ'), { headers: bearer(admin) });
    expect((await none.text()).split('\r\n')).toHaveLength(2);
  });

  it('streams 30,000 lines; readers that stall hold no database connection', async () => {
    const requestId = await storeCampaign(campaigns.dataSource, owner, 30_000, [RecipientStatus.Failed], {
      errorMessage: 'x'.repeat(255),
    });
    const readers = await Promise.all(Array.from({ length: POOL + 2 }, () => stalledReader(requestId)));
    const text = await (await fetch(campaigns.url + path(requestId, 'export.csv'), { headers: bearer(owner) })).text();
    const lines = text.split('\r\n');
    expect(lines).toHaveLength(30_002);
    expect(lines.slice(1, -1).every((line, index) => line.startsWith(`${index + 1},${919_800_000_000 + index},`))).toBe(
      true,
    );
    expect(await campaigns.connections()).toBeGreaterThanOrEqual(readers.length);
    for (const reader of readers) reader.destroy();
  });
});

/** Asks for an export of 10 MB and reads nothing of it. */
function stalledReader(requestId: string): Promise<ClientRequest> {
  return new Promise((resolve, reject) => {
    const options = { agent: false as const, headers: bearer(owner) };
    const request = httpRequest(campaigns.url + path(requestId, 'export.csv'), options, (response) => {
      response.pause();
      resolve(request);
    });
    request.on('error', reject).end();
  });
}
