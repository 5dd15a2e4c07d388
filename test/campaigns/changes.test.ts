import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RecipientStatus } from '../../src/modules/engine/index.js';
import { openCampaigns, type Campaigns, dataOf, type Json } from '../support/campaigns.js';
import { type Answer, expectRefused, type Member, refusal } from '../support/sms.js';

const NOT_FOUND = 'Campaign not found';
const NONE_FAILED = 'Campaign has no failed recipients';
const { Failed, Cancelled, Delivered, Unknown } = RecipientStatus;
const receivers = (count: number): string[] => Array.from({ length: count }, (_, i) => String(919_812_345_000 + i));

let campaigns: Campaigns;
let owner: Member;
let admin: Member;

beforeAll(async () => {
  campaigns = await openCampaigns();
  owner = await campaigns.join(100_000);
  admin = await campaigns.join(0, { userType: 'admin' });
});
afterAll(() => campaigns.stop());

const change = (requestId: string, what: string, member: Member | null = owner): Promise<Answer> =>
  campaigns.act(`/v6/api/campaigns/${requestId}/${what}`, member);
const decide = (requestId: string, what: string, member: Member | null = admin): Promise<Answer> =>
  campaigns.act(`/v6/api/admin/campaigns/${requestId}/${what}`, member);
const stateOf = async (requestId: string): Promise<unknown> =>
  dataOf(await campaigns.get(`/v6/api/campaigns/${requestId}`, admin))['state'];
const already = (state: string): string => `Campaign is already ${state}`;
const put = (requestId: string, state: string): Promise<unknown> =>
  campaigns.dataSource.query('UPDATE campaigns SET state = ? WHERE request_id = ?', [state, requestId]);

describe('pause, resume and cancel', () => {
  it('move the campaign and answer its state; 409 from any other', async () => {
    const requestId = await campaigns.send(owner, receivers(2));
    const done = (state: string): Json => ({ success: true, data: { request_id: requestId, state } });
    expectRefused(await change(requestId, 'resume'), 409, already('accepted'));
    expect((await change(requestId, 'pause')).body).toEqual(done('paused'));
    expectRefused(await change(requestId, 'pause'), 409, already('paused'));
    expect((await change(requestId, 'resume')).body).toEqual(done('accepted'));
    await campaigns.begin(requestId);
    expectRefused(await change(requestId, 'resume'), 409, already('running'));
    expect((await change(requestId, 'pause')).body).toEqual(done('paused'));
    expect((await change(requestId, 'resume')).body).toEqual(done('running'));
    expect((await change(requestId, 'cancel')).body).toEqual(done('cancelled'));
    for (const what of ['pause', 'resume', 'cancel']) {
      expectRefused(await change(requestId, what), 409, already('cancelled'));
    }
    for (const state of ['completed', 'rejected', 'failed']) {
      await put(requestId, state);
      for (const what of ['pause', 'resume', 'cancel']) {
        expectRefused(await change(requestId, what), 409, already(state));
      }
    }
  });

  it('one of many at once moves it', async () => {
    const requestId = await campaigns.send(owner, receivers(1));
    const answers = await Promise.all(Array.from({ length: 12 }, () => change(requestId, 'pause')));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 11 }, () => 409)]);
  });

  it('of staff on another account’s campaign and the owner’s own stand in the audit log', async () => {
    const requestId = await campaigns.send(owner, receivers(1));
    await change(requestId, 'pause');
    await change(requestId, 'resume', admin);
    await change(requestId, 'pause', admin);
    expectRefused(await change(requestId, 'pause', admin), 409, already('paused'));
    await change(requestId, 'cancel', admin);
    const log = await campaigns.audit(requestId);
    expect(log.map(({ actor, action, details }) => [actor, action, JSON.parse(details) as Json])).toEqual([
      [owner.account.username, 'campaign.pause', { channel: 'sms', from: 'accepted', to: 'paused' }],
      [admin.account.username, 'campaign.resume', { channel: 'sms', from: 'paused', to: 'accepted' }],
      [admin.account.username, 'campaign.pause', { channel: 'sms', from: 'accepted', to: 'paused' }],
      [admin.account.username, 'campaign.cancel', { channel: 'sms', from: 'paused', to: 'cancelled' }],
    ]);
  });

  it('are nobody else’s', async () => {
    const requestId = await campaigns.send(owner, receivers(1));
    const strangers = [await campaigns.join(0), await campaigns.join(0, { userType: 'reseller' })];
    for (const what of ['pause', 'resume', 'cancel', 'retry-failed']) {
      for (const stranger of strangers) expectRefused(await change(requestId, what, stranger), 404, NOT_FOUND);
      expectRefused(await change('no-such', what), 404, NOT_FOUND);
      expectRefused(await change(requestId, what, null), 401, 'Invalid Authorization token');
    }
    expect(await stateOf(requestId)).toBe('accepted');
  });
});

describe('approve and reject', () => {
  const pending = async (): Promise<string> => {
    const requestId = await campaigns.send(owner, receivers(2));
    await put(requestId, 'pending_approval');
    return requestId;
  };

  it('decide once, with an entry in the audit log', async () => {
    const one = await pending();
    expect((await decide(one, 'approve')).body).toEqual({
      success: true,
      data: { request_id: one, state: 'accepted' },
    });
    for (const what of ['approve', 'reject']) expectRefused(await decide(one, what), 409, already('accepted'));
    const other = await pending();
    expect(dataOf(await decide(other, 'reject'))).toEqual({ request_id: other, state: 'rejected' });
    for (const what of ['approve', 'reject']) expectRefused(await decide(other, what), 409, already('rejected'));
    expect((await campaigns.audit(one)).map(({ action }) => action)).toEqual(['campaign.approve']);
    expect(JSON.parse((await campaigns.audit(other))[0]?.details ?? '')).toEqual({
      channel: 'sms',
      from: 'pending_approval',
      to: 'rejected',
    });
  });

  it('name the revision that was looked at, which is 1', async () => {
    const requestId = await pending();
    const { body } = await campaigns.get('/v6/api/admin/campaigns?state=pending_approval&limit=1', admin);
    expect(body).toMatchObject({ data: [{ request_id: requestId, revision: 1 }] });
    const named = (revision: unknown) =>
      campaigns.act(`/v6/api/admin/campaigns/${requestId}/approve`, admin, { revision });
    expectRefused(await named('1'), 400, 'revision must be a whole number from 1');
    expectRefused(await named(2), 409, 'Changed since you looked');
    expect(await stateOf(requestId)).toBe('pending_approval');
    expect(await campaigns.audit(requestId)).toEqual([]);
    expect((await named(1)).status).toBe(200);
  });

  it('of many at once, one decides', async () => {
    const requestId = await pending();
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) => decide(requestId, index % 2 ? 'approve' : 'reject')),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(11);
    expect(await campaigns.audit(requestId)).toHaveLength(1);
  });

  it('never wake what is scheduled before its time', async () => {
    const requestId = await campaigns.send(owner, receivers(1), { schedule_time: '2099-01-01T00:00:00Z' });
    await put(requestId, 'pending_approval');
    await decide(requestId, 'approve');
    const rows: { wake_at: Date }[] = await campaigns.dataSource.query(
      'SELECT wake_at FROM campaign_lanes WHERE campaign_id = ?',
      [await campaigns.idOf(requestId)],
    );
    expect(rows.map((row) => row.wake_at)).toEqual([new Date('2099-01-01T00:00:00Z')]);
  });

  it('are for staff alone', async () => {
    const requestId = await pending();
    for (const what of ['approve', 'reject']) {
      expectRefused(await decide(requestId, what, owner), 403, 'Forbidden');
      expectRefused(await decide(requestId, what, null), 401, 'Invalid Authorization token');
      expectRefused(await decide('no-such', what), 404, NOT_FOUND);
    }
    expect(await stateOf(requestId)).toBe('pending_approval');
  });
});

describe('retry-failed', () => {
  /** A campaign of 8 whose first three failed, the others for reasons that are not retried. */
  const failing = async (member: Member, fields: Json = {}): Promise<string> => {
    const requestId = await campaigns.send(member, receivers(8), fields);
    await campaigns.begin(requestId);
    await campaigns.settle(requestId, [1, 2], Failed, 'Invalid destination');
    await campaigns.settle(requestId, [3], Failed);
    await campaigns.settle(requestId, [4], Failed, 'Suppressed', true);
    await campaigns.settle(requestId, [5], Cancelled, null, true);
    await campaigns.settle(requestId, [6], Unknown);
    await campaigns.settle(requestId, [7], Delivered);
    return requestId;
  };
  const childOf = (answer: Answer): string => String(dataOf(answer)['request_id']);
  const rowsOf = async (requestId: string): Promise<[number, string, number][]> =>
    (
      await campaigns.dataSource.query<{ seq: number; receiver: string; source_seq: number }[]>(
        'SELECT seq, receiver, source_seq FROM campaign_recipients WHERE campaign_id = ? ORDER BY seq',
        [await campaigns.idOf(requestId)],
      )
    ).map(({ seq, receiver, source_seq }) => [seq, receiver, source_seq]);

  it('makes a campaign of the failed ones alone, charged like a new send; the parent stays', async () => {
    const member = await campaigns.join(100);
    const requestId = await failing(member, { message: 'a'.repeat(161), broadcast_name: 'Again' });
    const before = dataOf(await campaigns.get(`/v6/api/campaigns/${requestId}`, member));
    expect(before['retriable']).toBe(true);
    const credits = await campaigns.credits(member);
    const answer = await change(requestId, 'retry-failed', member);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      success: true,
      data: {
        request_id: expect.stringMatching(/^GSMCAMP_\d{8}_[A-Z0-9]{6}$/) as unknown,
        retry_of: requestId,
        total_rows: 3,
        credits: 6,
        reasons: [
          { reason: 'temporary', count: 3, retried: true },
          { reason: 'opt_out', count: 1, retried: false },
        ],
      },
    });
    expect(await campaigns.credits(member)).toBe(credits - 6);
    const child = childOf(answer);
    expect(dataOf(await campaigns.get(`/v6/api/campaigns/${child}`, member))).toMatchObject({
      channel: 'sms',
      broadcast_name: 'Again',
      state: 'accepted',
      total_rows: 3,
      status_counts: { PP1: 3 },
      credits: 6,
      retry_of: requestId,
    });
    const numbers = receivers(8);
    expect(await rowsOf(child)).toEqual([1, 2, 3].map((seq) => [seq, numbers[seq - 1], seq]));
    const [lane] = await campaigns.dataSource.query<Json[]>(
      'SELECT next_seq, end_seq, channel FROM campaign_lanes WHERE campaign_id = ?',
      [await campaigns.idOf(child)],
    );
    expect(lane).toMatchObject({ next_seq: 1, end_seq: 4, channel: 'sms' });
    const after = dataOf(await campaigns.get(`/v6/api/campaigns/${requestId}`, member));
    expect(after).toEqual({ ...before, retriable: false });
    const [entry] = await campaigns.dataSource.query<Json[]>('SELECT * FROM credit_ledger WHERE request_id = ?', [
      child,
    ]);
    expect(entry).toMatchObject({ amount: -6, kind: 'debit' });
  });

  it('takes nobody twice: later failures only, and those whose retry was cancelled', async () => {
    const requestId = await failing(owner);
    const first = childOf(await change(requestId, 'retry-failed'));
    expectRefused(await change(requestId, 'retry-failed'), 409, NONE_FAILED);
    await campaigns.settle(requestId, [8], Failed, 'late');
    const second = await change(requestId, 'retry-failed');
    expect(await rowsOf(childOf(second))).toEqual([[1, receivers(8)[7], 8]]);
    await campaigns.settle(first, [2], Cancelled, null, true);
    expect(await rowsOf(childOf(await change(requestId, 'retry-failed')))).toEqual([[1, receivers(8)[1], 2]]);
    // The retry is a campaign like any other.
    await campaigns.begin(first);
    await campaigns.settle(first, [1], Failed);
    const grandchild = await change(first, 'retry-failed');
    expect(dataOf(grandchild)).toMatchObject({ retry_of: first, total_rows: 1 });
  });

  it('of unknown outcome and failed by the deadline: not taken', async () => {
    const requestId = await campaigns.send(owner, receivers(2));
    await campaigns.begin(requestId);
    await campaigns.dataSource.query(
      'UPDATE campaign_recipients SET outcome_unknown = 1 WHERE campaign_id = ? AND seq = 1',
      [await campaigns.idOf(requestId)],
    );
    await campaigns.settle(requestId, [1, 2], Failed, 'No delivery receipt');
    expect(await rowsOf(childOf(await change(requestId, 'retry-failed')))).toEqual([[1, receivers(2)[1], 2]]);
  });

  it('many at once make one campaign and one charge', async () => {
    const member = await campaigns.join(100);
    const requestId = await failing(member);
    const credits = await campaigns.credits(member);
    const answers = await Promise.all(Array.from({ length: 15 }, () => change(requestId, 'retry-failed', member)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status !== 200)) expectRefused(answer, 409, NONE_FAILED);
    expect(await campaigns.credits(member)).toBe(credits - 3);
  });

  it('waits for a retry that another instance is making', async () => {
    const requestId = await failing(owner);
    const id = await campaigns.idOf(requestId);
    await campaigns.dataSource.query(
      `INSERT INTO campaign_retries (campaign_id, fence, lease_until)
       VALUES (?, 7, UTC_TIMESTAMP(3) + INTERVAL 1 HOUR)`,
      [id],
    );
    const waiting = change(requestId, 'retry-failed');
    const early = await Promise.race([waiting, new Promise((resolve) => setTimeout(resolve, 400, 'waits'))]);
    expect(early).toBe('waits');
    // as if that instance had been killed, and its lease were over
    await campaigns.dataSource.query('UPDATE campaign_retries SET lease_until = UTC_TIMESTAMP(3) WHERE fence = 7');
    expect((await waiting).status).toBe(200);
    expect(await campaigns.dataSource.query('SELECT * FROM campaign_retries')).toEqual([]);
  });

  it('409 before it began, also when paused; then the rows in order', async () => {
    const poor = await campaigns.join(8);
    const requestId = await campaigns.send(poor, receivers(8));
    expectRefused(await change(requestId, 'retry-failed', poor), 409, already('accepted'));
    const quote = await campaigns.get(`/v6/api/campaigns/${requestId}/retry-failed`, poor);
    expectRefused(quote, 409, already('accepted'));
    await put(requestId, 'pending_approval');
    expectRefused(await change(requestId, 'retry-failed', poor), 409, already('pending_approval'));
    await put(requestId, 'paused');
    expectRefused(await change(requestId, 'retry-failed', poor), 409, already('paused'));
    await campaigns.begin(requestId);
    expectRefused(await change(requestId, 'retry-failed', poor), 409, NONE_FAILED);
    await campaigns.settle(requestId, [1, 2], Failed);
    for (const state of ['running', 'paused', 'cancelled', 'completed']) {
      await put(requestId, state);
      const text = 'Insufficient credits. Available: 0, Required: 2';
      expectRefused(await change(requestId, 'retry-failed', poor), 400, text);
    }
    expect(await campaigns.dataSource.query('SELECT 1 FROM campaigns WHERE retry_of = ?', [requestId])).toEqual([]);
  });

  it('503 without a route, and nothing is charged', async () => {
    const lonely = await openCampaigns({}, { route: false });
    try {
      const id = await lonely.addRoute('only', true);
      const member = await lonely.join(10);
      const requestId = await lonely.send(member, receivers(2));
      await lonely.begin(requestId);
      await lonely.settle(requestId, [1], Failed);
      await lonely.removeRoute(id);
      const answer = await lonely.act(`/v6/api/campaigns/${requestId}/retry-failed`, member);
      expect([answer.status, answer.body]).toEqual([503, refusal(503, 'No route available for this channel')]);
      const quote = await lonely.get(`/v6/api/campaigns/${requestId}/retry-failed`, member);
      expectRefused(quote, 503, 'No route available for this channel');
      expect(await lonely.credits(member)).toBe(8);
    } finally {
      await lonely.stop();
    }
  });
});
