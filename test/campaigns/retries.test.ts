import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RecipientStatus } from '../../src/modules/engine/index.js';
import { openCampaigns, type Campaigns, dataOf } from '../support/campaigns.js';
import { daysAgo, storeOldCampaign } from '../support/old-days.js';
import type { Member } from '../support/sms.js';
import { storeCampaign } from '../support/stored-campaign.js';

const { Delivered, Failed } = RecipientStatus;
const COUNT = 60_000;

let campaigns: Campaigns;
let owner: Member;

beforeAll(async () => {
  campaigns = await openCampaigns();
  owner = await campaigns.join({ gsm_credits: 200_000, bulk_chat_credits: 100, chat_utility_credits: 100 });
});
afterAll(() => campaigns.stop());

const retry = (requestId: string, member: Member = owner) =>
  campaigns.act(`/v6/api/campaigns/${requestId}/retry-failed`, member);

describe('retry-failed of every channel', () => {
  it('takes a large campaign in batches, exactly once each, and refuses it whole', async () => {
    const requestId = await storeCampaign(campaigns.dataSource, owner, COUNT, [Failed, Delivered]);
    const answer = await retry(requestId);
    expect(dataOf(answer)).toMatchObject({ total_rows: COUNT / 2, credits: COUNT / 2 });
    const [sums] = await campaigns.dataSource.query<Record<string, number>[]>(
      `SELECT COUNT(*) AS total, COUNT(DISTINCT r.source_seq) AS sources, MIN(r.seq) AS first, MAX(r.seq) AS last,
         SUM(p.status = 4) AS failed, SUM(p.receiver = r.receiver) AS same, SUM(r.source_seq = 2 * r.seq - 1) AS ordered
       FROM campaign_recipients r JOIN campaigns c ON c.id = r.campaign_id
       JOIN campaign_recipients p ON p.campaign_id = ? AND p.seq = r.source_seq WHERE c.request_id = ?`,
      [await campaigns.idOf(requestId), dataOf(answer)['request_id']],
    );
    const half = COUNT / 2;
    expect(Object.values(sums ?? {}).map(Number)).toEqual([half, half, 1, half, half, half, half]);
    const lanes: { next_seq: number; end_seq: number }[] = await campaigns.dataSource.query(
      'SELECT next_seq, end_seq FROM campaign_lanes WHERE campaign_id = ? ORDER BY lane',
      [await campaigns.idOf(String(dataOf(answer)['request_id']))],
    );
    expect([lanes[0]?.next_seq, lanes.at(-1)?.end_seq]).toEqual([1, half + 1]);
    expect(lanes.slice(1).map((lane) => lane.next_seq)).toEqual(lanes.slice(0, -1).map((lane) => lane.end_seq));
    // What one retry at a time holds was written: to another node of a cluster a lock alone would say nothing.
    expect(await campaigns.dataSource.query('SELECT * FROM campaign_retries')).toEqual([]);
    const poor = await campaigns.join(0);
    const other = await storeCampaign(campaigns.dataSource, poor, COUNT, [Failed]);
    expect((await retry(other, poor)).body['message']).toBe(`Insufficient credits. Available: 0, Required: ${COUNT}`);
  });

  it('knows nothing of retries of a campaign of before that had its request id', async () => {
    const { dataSource } = campaigns;
    const requestId = await storeCampaign(dataSource, owner, 2, [Failed]);
    const acceptedOn = daysAgo(9);
    const former = await storeOldCampaign(dataSource, { acceptedOn, overOn: acceptedOn, retryOf: requestId });
    await dataSource.query('UPDATE campaigns SET account_id = ? WHERE id = ?', [owner.account.id, former]);
    await dataSource.query('UPDATE campaign_recipients SET source_seq = seq WHERE campaign_id = ?', [former]);
    expect(dataOf(await retry(requestId))).toMatchObject({ total_rows: 2 });
    expect((await retry(requestId)).body['message']).toBe('Campaign has no failed recipients');
  });

  it('goes over the channel’s own route, with ids of its own format', async () => {
    await campaigns.addRoute('chat', true, 'unofficial');
    const chat = await campaigns.unofficial(owner, {
      broadcast_name: 'Chat',
      brodcast_service: 'chat',
      contacts: ['919812345678'],
      message: 'Hello',
      img1: 'https://f.example/1.jpg',
    });
    const first = await campaigns.connect(owner, 'official');
    await campaigns.template(owner, 'order_ready', { category: 2 });
    const template = await campaigns.post(`/v6/api/chatTemplate/24/${owner.account.username}/messages`, owner, {
      messaging_product: 'chat',
      to: ['919812345678'],
      type: 'template',
      template: { name: 'order_ready', language: { code: 'en_US' } },
    });
    expect([chat.status, template.status]).toEqual([200, 201]);
    // The connection was removed and made again meanwhile.
    await campaigns.disconnect(first);
    const second = await campaigns.connect(owner, 'official');
    const formats = [/^CHATCAMP_\d{8}_[A-Z0-9]{6}$/, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/];
    for (const [index, sent] of [chat, template].entries()) {
      const requestId = String(sent.body['request_id']);
      await campaigns.begin(requestId);
      await campaigns.settle(requestId, [1], Failed, 'gone');
      const answer = await retry(requestId);
      expect(dataOf(answer)).toMatchObject({ retry_of: requestId, total_rows: 1, credits: 1 });
      expect(dataOf(answer)['request_id']).toMatch(formats[index] ?? /never/);
      const rows = await campaigns.dataSource.query<Record<string, unknown>[]>(
        'SELECT channel, service, route_id, content, balance FROM campaigns WHERE request_id IN (?) ORDER BY id',
        [[requestId, dataOf(answer)['request_id']]],
      );
      expect(rows[1]).toEqual(index === 0 ? rows[0] : { ...rows[0], route_id: second });
    }
    expect(await campaigns.credits(owner, 'chat_utility_credits')).toBe(98);
  });

  it('of staff is charged to the owner and audited', async () => {
    const admin = await campaigns.join(0, { userType: 'admin' });
    const member = await campaigns.join(10);
    const requestId = await campaigns.send(member, ['919812345678', '919812345679']);
    await campaigns.begin(requestId);
    await campaigns.settle(requestId, [1, 2], Failed);
    const answer = await retry(requestId, admin);
    expect(await campaigns.credits(member)).toBe(6);
    const [entry] = await campaigns.audit(requestId);
    expect(entry).toMatchObject({ actor: admin.account.username, action: 'campaign.retry_failed' });
    expect(JSON.parse(entry?.details ?? '')).toEqual({ request_id: dataOf(answer)['request_id'], total_rows: 2 });
  });
});

describe('what ends before it began', () => {
  it.each([
    ['rejected by staff', 'pending_approval', '/v6/api/admin/campaigns/:id/reject', 'rejected', 'Rejected'],
    ['cancelled while pending', 'pending_approval', '/v6/api/campaigns/:id/cancel', 'cancelled', 'Cancelled'],
    ['cancelled before its schedule', 'accepted', '/v6/api/campaigns/:id/cancel', 'cancelled', 'Cancelled'],
  ])('%s: everybody CANCELLED and refunded once', async (_, before, path, state, status) => {
    const admin = await campaigns.join(0, { userType: 'admin' });
    const member = await campaigns.join(10);
    const contacts = ['919812345671', '919812345672', '919812345673', '919812345674', '919812345675'];
    const requestId = await campaigns.send(member, contacts, { schedule_time: '2099-01-01T00:00:00Z' });
    await campaigns.dataSource.query('UPDATE campaigns SET state = ? WHERE request_id = ?', [before, requestId]);
    expect(dataOf(await campaigns.act(path.replace(':id', requestId), admin))).toEqual({
      request_id: requestId,
      state,
    });
    expect(await campaigns.cancelUnsent(requestId, 2)).toBe(3);
    expect(await campaigns.cancelUnsent(requestId, 2)).toBe(0);
    const view = dataOf(await campaigns.get(`/v6/api/campaigns/${requestId}`, member));
    expect(view).toMatchObject({ state, status, status_counts: { CANCELLED: 5 }, credits: 5 });
    expect(view['completed_at']).not.toBeNull();
    expect(await campaigns.credits(member)).toBe(10);
    expect((await retry(requestId, member)).body['message']).toBe('Campaign has no failed recipients');
  });
});
