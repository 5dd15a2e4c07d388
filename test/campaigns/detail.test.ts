import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CampaignOutlooks } from '../../src/modules/campaigns/campaign-outlook.js';
import { RecipientStatus } from '../../src/modules/engine/index.js';
import { openCampaigns, type Campaigns, dataOf, type Json, listOf } from '../support/campaigns.js';
import type { Member } from '../support/sms.js';
import { storeCampaign } from '../support/stored-campaign.js';

const LIST = '/v6/api/campaigns';
const STAFF_LIST = '/v6/api/admin/campaigns';
const NUMBERS = ['919812345670', '919812345671', '919812345672', '919812345673'];

let campaigns: Campaigns;
let owner: Member;
let admin: Member;

beforeAll(async () => {
  campaigns = await openCampaigns();
  owner = await campaigns.join({ gsm_credits: 10_000, bulk_chat_credits: 1_000 });
  admin = await campaigns.join(0, { userType: 'admin' });
  await campaigns.addRoute('slow', false);
  await campaigns.dataSource.query("UPDATE routes SET messages_per_second = 2 WHERE name = 'slow'");
  await campaigns.addRoute('chat', true, 'unofficial');
});
afterAll(() => campaigns.stop());

const detail = async (requestId: string, member = owner): Promise<Json> =>
  dataOf(await campaigns.get(`${LIST}/${requestId}`, member));
const ids = async (query: string, path = LIST, member = owner): Promise<unknown[]> =>
  listOf(await campaigns.get(`${path}?${query}`, member)).map((campaign) => campaign['request_id']);

describe('the detail of a campaign', () => {
  it('says what is sent, over which route, at which pace, and what a cancel would give back', async () => {
    const requestId = await campaigns.send(owner, NUMBERS, { brodcast_service: 'slow', message: 'Hello {name}' });
    await expect.poll(() => detail(requestId).then(({ route }) => route)).toBe('slow');
    expect(await detail(requestId)).toMatchObject({
      phase: 'accepted',
      text: 'Hello {name}',
      template: null,
      attachments: [],
      routes: ['slow'],
      messages_per_second: 2,
      seconds_left: 2,
      refund_if_cancelled: 4,
      refund_is_approximate: false,
    });
    await campaigns.begin(requestId);
    await campaigns.submit(requestId, 1, 'left-1');
    expect(await detail(requestId)).toMatchObject({ phase: 'running', refund_if_cancelled: 3 });
    expect(dataOf(await campaigns.act(`${LIST}/${requestId}/pause`, owner))['state']).toBe('paused');
    expect(await detail(requestId)).toMatchObject({ phase: 'paused', seconds_left: null, refund_if_cancelled: 3 });
    await campaigns.act(`${LIST}/${requestId}/cancel`, owner);
    await campaigns.cancelUnsent(requestId, 10);
    expect(await detail(requestId)).toMatchObject({
      phase: 'cancelled',
      seconds_left: 0,
      refund_if_cancelled: null,
      refunded_credits: 3,
    });
  });

  it('says who may have left and until when that is open, and over which route the rest leaves', async () => {
    const requestId = await campaigns.send(owner, NUMBERS, { brodcast_service: 'slow' });
    const id = await campaigns.idOf(requestId);
    expect(await detail(requestId)).toMatchObject({ in_doubt: 0, in_doubt_until: null, carried_by: ['slow'] });
    await campaigns.begin(requestId);
    await campaigns.settle(requestId, [1, 2], RecipientStatus.Unknown);
    await campaigns.dataSource.query(
      `INSERT INTO unknown_outcomes (campaign_id, seq, route_id, receiver, created_at)
       SELECT campaign_id, seq, 1, receiver, '2026-11-22 10:00:00' FROM campaign_recipients WHERE campaign_id = ? AND seq < 3`,
      [id],
    );
    await campaigns.dataSource.query(
      "UPDATE campaign_recipients SET updated_at = '2026-11-22 10:00:00' WHERE campaign_id = ? AND seq < 3",
      [id],
    );
    await campaigns.dataSource.query(
      "UPDATE campaign_lanes SET route_id = (SELECT id FROM routes WHERE name = 'main') WHERE campaign_id = ?",
      [id],
    );
    const known = { in_doubt: 2, route: 'slow', carried_by: ['main'] };
    // RECEIPT_TIMEOUT is 72 hours
    expect(await detail(requestId)).toMatchObject({ ...known, in_doubt_until: '2026-11-25 10:00:00' });
    for (const [path, member] of [
      [LIST, owner],
      [STAFF_LIST, admin],
    ] as const) {
      const rows = listOf(await campaigns.get(path, member));
      expect(rows.find((row) => row['request_id'] === requestId)).toMatchObject(known);
    }
    await campaigns.act(`${LIST}/${requestId}/cancel`, owner);
    await campaigns.cancelUnsent(requestId, 10);
    expect(await detail(requestId)).toMatchObject({ carried_by: [] });
  });

  it('says until when receipts are awaited, once all are sent', async () => {
    const requestId = await campaigns.send(owner, NUMBERS.slice(0, 2));
    await campaigns.begin(requestId);
    await campaigns.submit(requestId, 1, 'until-1');
    expect(await detail(requestId)).toMatchObject({ receipts_until: null });
    await campaigns.submit(requestId, 2, 'until-2');
    await campaigns.dataSource.query("UPDATE campaigns SET sent_at = '2026-11-22 10:00:00' WHERE request_id = ?", [
      requestId,
    ]);
    // RECEIPT_TIMEOUT is 72 hours
    expect(await detail(requestId)).toMatchObject({ seconds_left: 0, receipts_until: '2026-11-25 10:00:00' });
    await campaigns.receipt(requestId, 'until-1', 'delivered');
    await campaigns.receipt(requestId, 'until-2', 'delivered');
    expect(await detail(requestId)).toMatchObject({ receipts_until: null });
  });

  it('shows the attachments of an unofficial broadcast', async () => {
    const answer = await campaigns.unofficial(owner, {
      broadcast_name: 'Pictures',
      brodcast_service: 'chat',
      contacts: [NUMBERS[0]],
      message: 'Look',
      img1: 'https://files.example/a.png',
    });
    expect(await detail(String(answer.body['request_id']))).toMatchObject({
      text: 'Look',
      attachments: ['https://files.example/a.png'],
      routes: ['chat'],
    });
  });

  it('reckons a refund by each recipient’s own price', async () => {
    const requestId = await campaigns.send(owner, NUMBERS);
    const id = await campaigns.idOf(requestId);
    await campaigns.dataSource.query('UPDATE campaigns SET own_terms = 1, charged_credits = 13 WHERE id = ?', [id]);
    await campaigns.dataSource.query('INSERT INTO recipient_terms (campaign_id, seq, credits) VALUES (?, 4, 10)', [id]);
    expect(await detail(requestId)).toMatchObject({ refund_if_cancelled: 13 });
    await campaigns.begin(requestId);
    await campaigns.submit(requestId, 1, 'left-2');
    expect(await detail(requestId)).toMatchObject({ refund_if_cancelled: 12 });
  });

  it('tells time left by what left while somebody looked', async () => {
    const outlooks = campaigns.part(CampaignOutlooks) as unknown as {
      memory: { record: (id: number, left: number, at: number) => number | null };
    };
    const requestId = await campaigns.send(owner, NUMBERS);
    await campaigns.begin(requestId);
    // ten seconds ago six more had to leave, as far as this process saw
    outlooks.memory.record(await campaigns.idOf(requestId), 10, Date.now() - 10_000);
    const { seconds_left: left } = await detail(requestId);
    expect(left).toBeGreaterThanOrEqual(6);
    expect(left).toBeLessThanOrEqual(12);
  });
});

describe('failure reasons', () => {
  const { Failed, Delivered } = RecipientStatus;

  it('say whether a retry would find one: neither what is suppressed, nor what an earlier one took', async () => {
    const requestId = await campaigns.send(owner, NUMBERS.slice(0, 2));
    await campaigns.begin(requestId);
    expect(await detail(requestId)).toMatchObject({ retriable: false });
    await campaigns.settle(requestId, [1], Failed, 'Suppressed', true);
    expect(await detail(requestId)).toMatchObject({ status_counts: { FAILED: 1 }, retriable: false });
    await campaigns.settle(requestId, [2], Failed, 'Absent subscriber');
    expect(await detail(requestId)).toMatchObject({ retriable: true });
    const again = await campaigns.act(`${LIST}/${requestId}/retry-failed`, owner);
    expect(again.status, JSON.stringify(again.body)).toBe(200);
    expect(await detail(requestId)).toMatchObject({ status_counts: { FAILED: 2 }, retriable: false });
  });

  it('are counted, most frequent first', async () => {
    const requestId = await campaigns.send(owner, NUMBERS);
    await campaigns.begin(requestId);
    await campaigns.settle(requestId, [1, 3], Failed, 'Absent subscriber');
    expect(await detail(requestId)).toMatchObject({ retriable: true });
    await campaigns.settle(requestId, [4], Failed, 'Suppressed', true);
    expect(await detail(requestId)).toMatchObject({
      failure_reasons: [
        { error_code: null, message: 'Absent subscriber', count: 2 },
        { error_code: null, message: 'Suppressed', count: 1 },
      ],
      failure_reasons_approximate: false,
    });
    await campaigns.settle(requestId, [2], Failed, 'Suppressed', true);
    expect((await detail(requestId))['failure_reasons']).toHaveLength(2);
    expect(await detail(requestId)).toMatchObject({ state: 'completed' });
    const counts = ((await detail(requestId))['failure_reasons'] as Json[]).map(({ count }) => count);
    expect(counts).toEqual([2, 2]);
  });

  it('are reckoned from a part of a large campaign that is not over', async () => {
    const requestId = await storeCampaign(campaigns.dataSource, owner, 1_000, [Failed, Delivered]);
    const id = await campaigns.idOf(requestId);
    await campaigns.dataSource.query('UPDATE campaigns SET total_rows = 1000000 WHERE id = ?', [id]);
    await campaigns.dataSource.query(
      'UPDATE campaign_counters SET recipients = 500000 WHERE campaign_id = ? AND status = ?',
      [id, Failed],
    );
    expect(await detail(requestId)).toMatchObject({
      failure_reasons: [{ error_code: 8, message: 'Absent "subscriber"', count: 500_000 }],
      failure_reasons_approximate: true,
    });
  });
});

describe('the lists', () => {
  it('have scheduled campaigns as a state of their own, and the route', async () => {
    const member = await campaigns.join({ gsm_credits: 100 });
    const later = new Date(Date.now() + 3_600_000).toISOString();
    const now = await campaigns.send(member, NUMBERS);
    const scheduled = await campaigns.send(member, NUMBERS, { schedule_time: later });
    const slow = await campaigns.send(member, NUMBERS, { schedule_time: later, brodcast_service: 'slow' });
    expect(await ids('state=scheduled', LIST, member)).toEqual([slow, scheduled]);
    expect(await ids('state=accepted', LIST, member)).toEqual([slow, scheduled, now]);
    expect(await ids('state=scheduled&route=slow', LIST, member)).toEqual([slow]);
    expect(await ids('route=slow', LIST, member)).toEqual([slow]);
    expect(await ids('route=main&channel=sms', LIST, member)).toEqual([scheduled, now]);
    expect(await ids('route=main&channel=voice', LIST, member)).toEqual([]);
    expect(await ids('route=no-such', LIST, member)).toEqual([]);
    expect(await ids(`route=slow&search=${slow}`, LIST, member)).toEqual([slow]);
    expect(await ids(`state=scheduled&search=${now}`, LIST, member)).toEqual([]);
    const { username } = member.account;
    expect(await ids(`state=scheduled&route=slow&channel=sms&username=${username}`, STAFF_LIST, admin)).toEqual([slow]);
    expect(await ids('state=scheduled&route=slow&channel=sms', STAFF_LIST, admin)).toEqual([slow]);
    expect(await ids('state=scheduled&channel=sms&limit=2', STAFF_LIST, admin)).toEqual([slow, scheduled]);
    expect(await ids('route=slow&from=2020-01-01&state=accepted', STAFF_LIST, admin)).toContain(slow);
    const [first] = listOf(await campaigns.get(`${LIST}?state=scheduled`, member));
    expect(first).toMatchObject({ state: 'accepted', phase: 'scheduled', route: 'slow' });
  });
});
