import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RecipientStatus } from '../../src/modules/engine/index.js';
import { type Answer, type Member, refusal } from '../support/sms.js';
import { storeCampaign, type StoredDetails } from '../support/stored-campaign.js';
import { NUMBER, openVoice, type Voice } from '../support/voice.js';

interface Report {
  data: {
    summary: Record<string, string>;
    total_rows: number;
    status_counts: Record<string, number>;
    records: Record<string, unknown>[];
  };
}

let voice: Voice;
let owner: Member;

beforeAll(async () => {
  voice = await openVoice();
  owner = await voice.join({ voice_credits: 100 }, { timeZone: 'Asia/Kolkata' });
});
afterAll(() => voice.stop());

const stored = (total: number, statuses: RecipientStatus[], details: StoredDetails = {}): Promise<string> =>
  storeCampaign(voice.dataSource, owner, total, statuses, { channel: 'voice', ...details });
const get = (query: string, who: Member | null = owner, headers: Record<string, string> = {}): Promise<Answer> =>
  voice.request(`/v6/api/voice/report${query}`, {
    headers: { ...(who && { authorization: `Bearer ${who.token}` }), ...headers },
  });
const reportOf = async (query: string): Promise<Report> => (await get(query)).body as unknown as Report;

const NOT_FOUND = refusal(404, 'Report not found');
const { Pending, Unknown, Submitted, Retrying, Answered, Failed, NoAnswer, Busy, Cancelled } = RecipientStatus;

describe('GET /v6/api/voice/report', () => {
  it('has exactly the fields of reference/delivery-reports#voicereport, in its words', async () => {
    const id = await stored(9, [Pending, Unknown, Submitted, Retrying, Answered, Failed, NoAnswer, Busy, Cancelled], {
      name: 'Spring "sale" 😀',
    });
    await voice.dataSource.query(
      `UPDATE campaign_recipients r JOIN campaigns c ON c.id = r.campaign_id SET r.duration = IF(r.status = ?, 14, NULL),
         r.error_code = IF(r.status = ?, 486, r.error_code) WHERE c.request_id = ?`,
      [Answered, Busy, id],
    );
    const record = (index: number, status: string, change: Record<string, unknown> = {}): unknown => ({
      event: 'voice.status.update',
      providerMessageId: id,
      receiver: String(919_800_000_000 + index),
      status,
      status_code: 0,
      error_code: null,
      errorMessage: null,
      duration: 0,
      ...change,
    });
    const answer = await get(`?request_id=${id}`);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      success: true,
      request_id: id,
      data: {
        summary: {
          requestid: id,
          username: owner.account.username,
          deduction: '2',
          total_credits_used: '18',
          contacts: '9',
          broadcast_name: 'Spring "sale" 😀',
          Date: '2026-05-02',
          Time: '01:30:00',
        },
        total_rows: 9,
        status_counts: { PENDING: 1, INITIATED: 3, ANSWERED: 1, FAILED: 1, NO_ANSWER: 1, BUSY: 1, CANCELLED: 1 },
        records: [
          record(0, 'PENDING'),
          record(1, 'INITIATED'),
          record(2, 'INITIATED'),
          record(3, 'INITIATED'),
          record(4, 'ANSWERED', { duration: 14 }),
          record(5, 'FAILED', { status_code: 1, error_code: 8, errorMessage: 'Absent "subscriber"' }),
          record(6, 'NO_ANSWER'),
          record(7, 'BUSY', { error_code: 486 }),
          record(8, 'CANCELLED'),
        ],
      },
    });
  });

  it('of a campaign just accepted, and of a scheduled one; credits given back are not used', async () => {
    const sent = await voice.send(owner, { broadcast_name: 'Live', message: 'Hello.', contacts: [NUMBER] });
    const live = await reportOf(`?request_id=${String(sent.body['request_id'])}`);
    expect(live.data).toMatchObject({
      total_rows: 1,
      status_counts: { PENDING: 1 },
      summary: { deduction: '1', total_credits_used: '1', contacts: '1', broadcast_name: 'Live' },
    });
    const id = await stored(3, [Cancelled], { scheduledAt: new Date('2026-06-01T00:00:00Z') });
    await voice.dataSource.query('UPDATE campaigns SET refunded_credits = 4 WHERE request_id = ?', [id]);
    expect((await reportOf(`?request_id=${id}`)).data.summary).toMatchObject({
      Date: '2026-06-01',
      Time: '05:30:00',
      deduction: '2',
      total_credits_used: '2',
    });
  });

  it('filters and pages the records, not the counts', async () => {
    const id = await stored(2_500, [Answered, Busy]);
    const busy = await reportOf(`?request_id=${id}&status=busy&page=2&limit=1000`);
    expect(busy.data).toMatchObject({ total_rows: 2_500, status_counts: { ANSWERED: 1_250, BUSY: 1_250 } });
    expect(busy.data.records).toHaveLength(250);
    expect((await reportOf(`?request_id=${id}`)).data.records).toHaveLength(2_500);
    expect((await reportOf(`?request_id=${id}&status=nothing`)).data.records).toEqual([]);
  });

  it('is for the owner and for staff, by header', async () => {
    const id = await stored(1, [Answered]);
    const query = `?request_id=${id}`;
    const unauthorized = refusal(401, 'Invalid Authorization token');
    expect((await get(query, null)).body).toEqual(unauthorized);
    expect((await get('', null)).body).toEqual(unauthorized);
    expect((await get(query, null, { cookie: `auth_token=${owner.token}` })).body).toEqual(unauthorized);
    expect((await get(query, await voice.join())).body).toEqual(NOT_FOUND);
    expect((await get(query, await voice.join(0, { userType: 'reseller' }))).body).toEqual(NOT_FOUND);
    for (const userType of ['admin', 'super']) {
      expect((await get(query, await voice.join(0, { userType }))).status).toBe(200);
    }
  });

  it('400 without an id, 404 for what is no voice campaign', async () => {
    for (const query of ['', '?request_id=', '?request_id=%20', '?request_id=a&request_id=b']) {
      expect((await get(query)).body).toEqual(refusal(400, 'request_id is required'));
    }
    const sms = await stored(1, [Pending], { channel: 'sms' });
    for (const id of ['VCAMP_20260501_ABCDEFGH', sms, 'x'.repeat(65), 'ä', '%00']) {
      expect((await get(`?request_id=${id === '%00' ? id : encodeURIComponent(id)}`)).body).toEqual(NOT_FOUND);
    }
    const wrong = await voice.request('/v6/api/voice/report', { method: 'POST' });
    expect(wrong.body).toEqual(refusal(405, 'Method not allowed'));
  });

  it('streams 30,000 records in the order of the contacts', async () => {
    const id = await stored(30_000, [Answered]);
    const { data } = await reportOf(`?request_id=${id}`);
    expect(data.records.map((record) => record['receiver'])).toEqual(
      Array.from({ length: 30_000 }, (_, index) => String(919_800_000_000 + index)),
    );
  });
});
