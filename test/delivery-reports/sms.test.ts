import { type ClientRequest, request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RecipientStatus } from '../../src/modules/engine/index.js';
import { type Answer, type Member, refusal, openSms, type Sms } from '../support/sms.js';
import { storeCampaign, type StoredDetails } from '../support/stored-campaign.js';

const PATH = '/webhook/api/getGSMreport.php';
const POOL = 4;

type Fields = Record<string, unknown>;

interface Report {
  success: boolean;
  request_id: string;
  data: { summary: Fields; total_rows: number; status_counts: Record<string, number>; records: Fields[] };
}

let sms: Sms;
let member: Member;

beforeAll(async () => {
  sms = await openSms({ DATABASE_POOL_SIZE: POOL });
  member = await sms.join();
});
afterAll(() => sms.stop());

const campaign = (total: number, statuses: readonly RecipientStatus[], details?: StoredDetails): Promise<string> =>
  storeCampaign(sms.dataSource, details?.owner ?? member, total, statuses, details);

const get = (query: Record<string, string>, headers: Record<string, string> = {}): Promise<Answer> =>
  sms.request(`${PATH}?${new URLSearchParams(query).toString()}`, { headers });

const post = (body: unknown, query = ''): Promise<Answer> =>
  sms.request(PATH + query, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

async function report(query: Record<string, string>): Promise<Report> {
  const answer = await get(query);
  expect(answer.status).toBe(200);
  return answer.body as unknown as Report;
}

const receiversOf = ({ data }: Report): unknown[] => data.records.map((record) => record['receiver']);
const NOT_FOUND = refusal(404, 'Report not found');
const REQUIRED = refusal(400, 'request_id is required');

describe('a report', () => {
  it('has exactly the fields of reference/delivery-reports#getgsmreportphp, in its words', async () => {
    const id = await campaign(
      5,
      [
        RecipientStatus.Pending,
        RecipientStatus.Submitted,
        RecipientStatus.Delivered,
        RecipientStatus.Failed,
        RecipientStatus.Unknown,
      ],
      { name: 'Spring "sale" 😀' },
    );
    const answer = await get({ request_id: id });
    const record = (index: number, status: string, change: Fields = {}): Fields => ({
      event: 'gsm.status.update',
      providerMessageId: id,
      receiver: String(919_800_000_000 + index),
      status,
      status_code: 0,
      error_code: null,
      errorMessage: null,
      ...change,
    });
    expect(answer.body).toEqual({
      success: true,
      request_id: id,
      data: {
        summary: {
          requestid: id,
          username: member.account.username,
          deduction: '10',
          contacts: '5',
          broadcast_name: 'Spring "sale" 😀',
          schedule_time: '2026-05-01 20:00:00',
          schedule_date: '2026-05-01',
        },
        total_rows: 5,
        status_counts: { PP1: 2, SENT: 1, DELIVERED: 1, FAILED: 1 },
        records: [
          record(0, 'PP1'),
          record(1, 'SENT'),
          record(2, 'DELIVERED'),
          record(3, 'FAILED', { status_code: 1, error_code: 8, errorMessage: 'Absent "subscriber"' }),
          record(4, 'PP1'),
        ],
      },
    });
    expect(answer.headers.get('content-type')).toContain('application/json');
    expect(answer.headers.get('x-request-id')).toBeTruthy();
  });

  it("gives times in the account's zone, the scheduled one when there is one", async () => {
    const owner = await sms.join(10, { timeZone: 'Asia/Kolkata' });
    const plain = await report({ request_id: await campaign(1, [RecipientStatus.Pending], { owner }) });
    expect(plain.data.summary).toMatchObject({ schedule_time: '2026-05-02 01:30:00', schedule_date: '2026-05-02' });
    const scheduledAt = new Date('2026-06-01T00:00:00Z');
    const later = await report({ request_id: await campaign(1, [RecipientStatus.Pending], { owner, scheduledAt }) });
    expect(later.data.summary).toMatchObject({ schedule_time: '2026-06-01 05:30:00', schedule_date: '2026-06-01' });
  });

  it('of a broadcast just accepted', async () => {
    const sent = await sms.broadcast(member, {
      broadcast_name: 'Live',
      brodcast_service: 'main',
      contacts: ['919812345678', '919812345678'],
      message: 'Hello',
    });
    const { data } = await report({ request_id: String(sent.body['request_id']) });
    expect(data).toMatchObject({
      total_rows: 2,
      status_counts: { PP1: 2 },
      summary: { deduction: '2', contacts: '2' },
    });
    expect(data.records.map((record) => record['receiver'])).toEqual(['919812345678', '919812345678']);
  });

  it('comes by GET and by POST, by every alias, as JSON and as a form', async () => {
    const id = await campaign(1, [RecipientStatus.Delivered]);
    for (const alias of ['request_id', 'requestid', 'provider_message_id', 'providermessageid']) {
      for (const answer of [
        await get({ [alias]: id }),
        await post({ [alias]: id }),
        await post({}, `?${alias}=${id}`),
      ]) {
        expect([answer.status, answer.body['request_id']]).toEqual([200, id]);
      }
    }
    expect((await post({ providerMessageId: id })).status).toBe(200);
    const form = await sms.request(PATH, { method: 'POST', body: new URLSearchParams({ request_id: id }) });
    expect(form.status).toBe(200);
    expect((await get({ providerMessageId: id })).body).toEqual(REQUIRED);
  });
});

describe('selections', () => {
  const all = (id: string) => report({ request_id: id });

  it('filters records by status and leaves counts as they are', async () => {
    const id = await campaign(5_000, [RecipientStatus.Delivered, RecipientStatus.Failed, RecipientStatus.Unknown]);
    const whole = await all(id);
    const failed = await report({ request_id: id, status: 'failed' });
    expect(failed.data.status_counts).toEqual(whole.data.status_counts);
    expect(failed.data.total_rows).toBe(5_000);
    const expected = whole.data.records.filter((record) => record['status'] === 'FAILED');
    expect(failed.data.records).toEqual(expected);
    expect((await report({ request_id: id, status: 'PP1' })).data.records).toHaveLength(1_666);
    expect((await report({ request_id: id, status: 'ANYTHING' })).data.records).toEqual([]);
    const paged = await report({ request_id: id, status: 'FAILED', page: '4', limit: '500' });
    expect(paged.data.records).toEqual(expected.slice(1_500, 2_000));
  });

  it('pages', async () => {
    const id = await campaign(2_345, [RecipientStatus.Delivered]);
    const whole = receiversOf(await all(id));
    const page = async (query: Record<string, string>) => receiversOf(await report({ request_id: id, ...query }));
    expect(await page({ page: '3', limit: '1000' })).toEqual(whole.slice(2_000));
    expect(await page({ page: '2' })).toEqual(whole.slice(50, 100));
    expect(await page({ limit: '7' })).toEqual(whole.slice(0, 7));
    expect(await page({ page: '-3', limit: '100000' })).toEqual(whole.slice(0, 1_000));
    expect(await page({ page: '999999999' })).toEqual([]);
    const posted = await post({ request_id: id, page: 24, limit: 100 });
    expect(receiversOf(posted.body as unknown as Report)).toEqual(whole.slice(2_300));
  });
});

describe('the error table', () => {
  it('400 without an identifier, whatever stands in its place', async () => {
    for (const query of [{}, { request_id: '' }, { request_id: '  ' }] as Record<string, string>[]) {
      expect((await get(query)).body).toEqual(REQUIRED);
    }
    expect((await sms.request(`${PATH}?request_id=a&request_id=b`)).body).toEqual(REQUIRED);
    for (const body of [{}, [], 'text', 7, null, { request_id: true }, { request_id: {} }, { request_id: ['a'] }]) {
      const answer = await post(body);
      expect([answer.status, answer.body]).toEqual([400, REQUIRED]);
    }
  });

  it('404 for what does not exist, is no SMS campaign, or can be no id', async () => {
    const other = await campaign(1, [RecipientStatus.Pending], { channel: 'voice' });
    for (const id of ['GSMCAMP_20260501_ABCDEF', other, 'x'.repeat(65), 'ä', "' OR 1=1 --", '%', '\u0000', '1e9']) {
      const answer = await get({ request_id: id });
      expect([answer.status, answer.body]).toEqual([404, NOT_FOUND]);
      expect((await post({ request_id: id })).status).toBe(404);
    }
    const id = await campaign(1, [RecipientStatus.Pending]);
    expect((await get({ request_id: id.toUpperCase() })).status).toBe(404);
  });

  it('405, 413 and malformed JSON', async () => {
    const wrong = await sms.request(PATH, { method: 'DELETE' });
    expect(wrong.body).toEqual(refusal(405, 'Method not allowed'));
    expect(wrong.headers.get('allow')).toContain('GET');
    expect((await post({ request_id: 'x', padding: 'x'.repeat(65 * 1024) })).status).toBe(413);
    const malformed = await sms.request(PATH, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{',
    });
    expect(malformed.body).toEqual(refusal(400, 'Malformed JSON body'));
  });
});

describe('closed reports', () => {
  const bearer = (who: Member) => ({ authorization: `Bearer ${who.token}` });

  it('require_token: only with the token of that account', async () => {
    const owner = await sms.join();
    const id = await campaign(1, [RecipientStatus.Delivered], { owner });
    expect((await get({ request_id: id })).status).toBe(200);
    await sms.alter(owner, 'require_token', 1);
    expect((await get({ request_id: id })).body).toEqual(NOT_FOUND);
    expect((await get({ request_id: id }, bearer(member))).body).toEqual(NOT_FOUND);
    expect((await get({ request_id: id }, { authorization: 'Bearer nonsense' })).body).toEqual(NOT_FOUND);
    expect((await get({ request_id: id }, bearer(owner))).status).toBe(200);
    expect((await get({ request_id: id }, { cookie: `auth_token=${owner.token}` })).status).toBe(200);
  });

  it('PROTECT_REPORTS: so for all', async () => {
    const closed = await openSms({ PROTECT_REPORTS: true });
    try {
      const owner = await closed.join();
      const sent = await closed.broadcast(owner, {
        broadcast_name: 'Spring',
        brodcast_service: 'main',
        contacts: ['919812345678'],
        message: 'Hello',
      });
      const path = `${PATH}?request_id=${String(sent.body['request_id'])}`;
      expect((await closed.request(path)).body).toEqual(NOT_FOUND);
      expect((await closed.request(path, { headers: bearer(owner) })).status).toBe(200);
    } finally {
      await closed.stop();
    }
  });

  it('misses are limited per address, also many at once', async () => {
    const guarded = await openSms({ OPEN_MISS_LIMIT: 5 });
    try {
      const guesses = await Promise.all(
        Array.from({ length: 20 }, (_, index) => guarded.request(`${PATH}?request_id=guess-${index}`)),
      );
      expect(guesses.filter((answer) => answer.status === 404)).toHaveLength(5);
      const refused = await guarded.request(`${PATH}?request_id=guess`);
      expect(refused.body).toEqual(refusal(429, 'Too many requests. Please try again later.'));
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    } finally {
      await guarded.stop();
    }
  });
});

describe('large reports', () => {
  it('streams 30,000 records in the order of the contacts', async () => {
    const id = await campaign(30_000, [RecipientStatus.Delivered, RecipientStatus.Failed]);
    const whole = await report({ request_id: id });
    expect(whole.data.total_rows).toBe(30_000);
    expect(whole.data.status_counts).toEqual({ DELIVERED: 15_000, FAILED: 15_000 });
    expect(receiversOf(whole)).toEqual(Array.from({ length: 30_000 }, (_, index) => String(919_800_000_000 + index)));
  });

  it('readers that stall hold no database connection', async () => {
    const text = 'x'.repeat(255);
    const id = await campaign(40_000, [RecipientStatus.Failed], { errorMessage: text });
    const readers = await Promise.all(Array.from({ length: POOL + 2 }, () => stalledReader(id)));
    const { data } = await report({ request_id: id, limit: '1' });
    expect(data.records[0]).toMatchObject({ errorMessage: text });
    // Each asked for one answer on a connection of its own, so an open one has not got all of it.
    expect(await sms.connections()).toBeGreaterThanOrEqual(readers.length);
    for (const reader of readers) reader.destroy();
  });
});

/** Asks for a report of 17 MB, more than the sockets' buffers hold, and reads nothing of it. */
function stalledReader(requestId: string): Promise<ClientRequest> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(`${sms.url}${PATH}?request_id=${requestId}`, { agent: false }, (response) => {
      response.pause();
      resolve(request);
    });
    request.on('error', reject).end();
  });
}
