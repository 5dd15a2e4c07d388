import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RecipientStatus } from '../../src/modules/engine/index.js';
import { openCampaigns, type Campaigns, dataOf, listOf } from '../support/campaigns.js';
import { expectRefused, type Member } from '../support/sms.js';
import { storeCampaign } from '../support/stored-campaign.js';

const LIST = '/v6/api/campaigns';
const STAFF_PATH = '/v6/api/admin/campaigns';
const NOT_FOUND = 'Campaign not found';
const STATE =
  'state must be one of: pending_approval, scheduled, accepted, running, paused, completed, cancelled, failed, rejected';
const CHANNEL = 'channel must be one of: sms, unofficial, template, branded, voice';

let campaigns: Campaigns;
let owner: Member;
let admin: Member;

beforeAll(async () => {
  campaigns = await openCampaigns();
  owner = await campaigns.join(10_000, { timeZone: 'Asia/Kolkata' });
  admin = await campaigns.join(0, { userType: 'admin' });
});
afterAll(() => campaigns.stop());

const ids = async (path: string, member: Member): Promise<unknown[]> =>
  listOf(await campaigns.get(path, member)).map((campaign) => campaign['request_id']);

describe('one campaign', () => {
  it('answers exactly the fields of reference/campaigns#detail, times in the zone of its owner whoever looks', async () => {
    const requestId = await storeCampaign(
      campaigns.dataSource,
      owner,
      3,
      [RecipientStatus.Delivered, RecipientStatus.Unknown],
      {
        scheduledAt: new Date('2026-05-01T21:00:00Z'),
      },
    );
    const expected = {
      success: true,
      data: {
        request_id: requestId,
        channel: 'sms',
        broadcast_name: 'Spring',
        status: 'PP1',
        test: false,
        state: 'running',
        phase: 'running',
        route: 'main',
        carried_by: [],
        in_doubt: 1,
        total_rows: 3,
        status_counts: { DELIVERED: 2, PP1: 1 },
        credits: 6,
        retry_of: null,
        scheduled_at: '2026-05-02T02:30:00+05:30',
        created_by: null,
        created_at: '2026-05-02 01:30:00',
        sent_at: null,
        completed_at: null,
        username: owner.account.username,
        in_doubt_until: null,
        receipts_until: null,
        balance: 'gsm_credits',
        price_note: null,
        refunded_credits: 0,
        sender: null,
        text: 'Hello',
        template: null,
        attachments: [],
        audio_url: null,
        personalised: false,
        reason: null,
        late: 'send',
        late_after_s: null,
        started_late_s: null,
        routes: ['main'],
        messages_per_second: null,
        seconds_left: 0,
        refund_if_cancelled: 0,
        refund_is_approximate: false,
        failure_reasons: [],
        failure_reasons_approximate: false,
        retriable: false,
        category: null,
        route_changes: [],
      },
    };
    for (const viewer of [owner, admin]) {
      const answer = await campaigns.get(`${LIST}/${requestId}`, viewer);
      expect(answer.body).toEqual(expected);
      expect(Object.keys(dataOf(answer))).toEqual(Object.keys(expected.data));
    }
  });

  it('is another account’s 404, also for a reseller, and 401 without a token', async () => {
    const requestId = await campaigns.send(owner, ['919812345678']);
    for (const userType of ['client', 'reseller']) {
      const stranger = await campaigns.join(0, { userType });
      expectRefused(await campaigns.get(`${LIST}/${requestId}`, stranger), 404, NOT_FOUND);
    }
    expectRefused(await campaigns.get(`${LIST}/no-such`, owner), 404, NOT_FOUND);
    expectRefused(await campaigns.get(`${LIST}/${encodeURIComponent('नहीं')}`, owner), 404, NOT_FOUND);
    expectRefused(await campaigns.get(`${LIST}/${requestId}`, null), 401, 'Invalid Authorization token');
  });
});

describe('an account’s campaigns', () => {
  let member: Member;
  let all: string[];

  beforeAll(async () => {
    member = await campaigns.join({ gsm_credits: 100, bulk_chat_credits: 100 }, { timeZone: 'Asia/Kolkata' });
    await campaigns.addRoute('chat', true, 'unofficial');
    const names = ['Alpha 100%', 'beta_1', 'Ünïcode', 'gamma'];
    all = [];
    for (const broadcast_name of names) all.unshift(await campaigns.send(member, ['919812345678'], { broadcast_name }));
    const chat = await campaigns.unofficial(member, {
      broadcast_name: 'delta',
      brodcast_service: 'chat',
      contacts: ['919812345678'],
      message: 'Hello',
    });
    all.unshift(String(chat.body['request_id']));
  });

  it('come newest first, in pages, and nobody else’s', async () => {
    const whole = await campaigns.get(LIST, member);
    expect(whole.body).toMatchObject({ success: true, page: 1, limit: 50, total: 5 });
    expect(listOf(whole).map((campaign) => campaign['request_id'])).toEqual(all);
    expect(Object.keys(listOf(whole)[0] ?? {})).toHaveLength(19);
    const page = await campaigns.get(`${LIST}?page=2&limit=2`, member);
    expect(page.body).toMatchObject({ page: 2, limit: 2, total: 5 });
    expect(listOf(page).map((campaign) => campaign['request_id'])).toEqual(all.slice(2, 4));
    expect(await ids(`${LIST}?page=9`, member)).toEqual([]);
    expect((await campaigns.get(`${LIST}?page=x&limit=0`, member)).body).toMatchObject({ page: 1, limit: 1, total: 5 });
    expect((await campaigns.get(`${LIST}?limit=5000`, member)).body).toMatchObject({ limit: 1000 });
    expect(await ids(LIST, await campaigns.join(0))).toEqual([]);
    expect(await ids(LIST, admin)).toEqual([]);
  });

  it('are filtered by state and channel', async () => {
    await campaigns.act(`${LIST}/${all[1] ?? ''}/pause`, member);
    expect(await ids(`${LIST}?state=paused`, member)).toEqual([all[1]]);
    expect(await ids(`${LIST}?state=accepted&channel=unofficial`, member)).toEqual([all[0]]);
    expect(await ids(`${LIST}?state=&channel=`, member)).toHaveLength(5);
    expectRefused(await campaigns.get(`${LIST}?state=asleep`, member), 400, STATE);
    expectRefused(await campaigns.get(`${LIST}?state=paused&state=running`, member), 400, STATE);
    expectRefused(await campaigns.get(`${LIST}?channel=fax`, member), 400, CHANNEL);
    expectRefused(await campaigns.get(`${LIST}?state=x&channel=y&from=z&to=z`, member), 400, STATE);
  });

  it('are found by a part of name or request id, in any case, % and _ literally', async () => {
    expect(await ids(`${LIST}?search=GAMMA`, member)).toEqual([all[1]]);
    expect(await ids(`${LIST}?search=${encodeURIComponent('ÜNÏ')}`, member)).toEqual([all[2]]);
    expect(await ids(`${LIST}?search=${encodeURIComponent('0%')}`, member)).toEqual([all[4]]);
    expect(await ids(`${LIST}?search=%25`, member)).toEqual([all[4]]);
    expect(await ids(`${LIST}?search=a_1`, member)).toEqual([all[3]]);
    expect(await ids(`${LIST}?search=${(all[2] ?? '').slice(-4).toLowerCase()}`, member)).toContain(all[2]);
    expect(await ids(`${LIST}?search=chatcamp`, member)).toEqual([all[0]]);
    expect(await ids(`${LIST}?search=${encodeURIComponent("' OR 1=1 -- \\")}`, member)).toEqual([]);
  });

  it('are found by the time of acceptance, in the account’s zone', async () => {
    const old = await campaigns.join(100, { timeZone: 'Asia/Kolkata' });
    const requestId = await campaigns.send(old, ['919812345678']);
    // The id tells the time as well, so the range is moved rather than the row.
    const [row] = await campaigns.dataSource.query<{ created_at: Date }[]>(
      'SELECT created_at FROM campaigns WHERE request_id = ?',
      [requestId],
    );
    const at = row?.created_at ?? new Date();
    const local = (shift: number): string =>
      new Date(at.getTime() + shift + 5.5 * 3_600_000).toISOString().slice(0, 19).replace('T', ' ');
    const range = (from: string, to: string): Promise<unknown[]> =>
      ids(`${LIST}?from=${encodeURIComponent(from)}&to=${encodeURIComponent(to)}`, old);
    expect(await range(local(-1_000), local(1_000))).toEqual([requestId]);
    expect(await range(local(1_000), '')).toEqual([]);
    expect(await range('', local(-1_000))).toEqual([]);
    expect(await range(at.toISOString(), at.toISOString())).toEqual([requestId]);
    expect(await range(local(0).slice(0, 10), local(0).slice(0, 10))).toEqual([requestId]);
    expect(await range('1900-01-01', '2023-12-31')).toEqual([]);
    expect(await range('1900-01-01', '9999-12-30')).toEqual([requestId]);
    for (const odd of ['yesterday', '2026-02-30', '2026-13-01 00:00:00', '+012026-01-01T00:00:00Z']) {
      expectRefused(await campaigns.get(`${LIST}?from=${encodeURIComponent(odd)}`, old), 400, 'from is invalid');
      expectRefused(await campaigns.get(`${LIST}?to=${encodeURIComponent(odd)}`, old), 400, 'to is invalid');
    }
    expectRefused(await campaigns.get(`${LIST}?from=2026-01-01&from=2026-01-02`, old), 400, 'from is invalid');
  });
});

describe('the list of staff', () => {
  it('shows all accounts’ campaigns with their username, by state, channel and username', async () => {
    const member = await campaigns.join(10, { timeZone: 'America/New_York' });
    const requestId = await campaigns.send(member, ['919812345678']);
    const answer = await campaigns.get(`${STAFF_PATH}?username=${member.account.username}`, admin);
    expect(answer.body).toMatchObject({ success: true, page: 1, limit: 50, total: 1 });
    const [campaign] = listOf(answer);
    expect(campaign).toMatchObject({ request_id: requestId, username: member.account.username, audio_url: null });
    // the same moment, each in the zone of the one who looks
    const own = dataOf(await campaigns.get(`${LIST}/${requestId}`, member));
    expect(campaign?.['created_at']).not.toBe(own['created_at']);
    expect(String(campaign?.['created_at']).slice(-5)).toBe(String(own['created_at']).slice(-5));
    expect(await ids(`${STAFF_PATH}?limit=1`, admin)).toEqual([requestId]);
    expect(await ids(`${STAFF_PATH}?state=running&username=${member.account.username}`, admin)).toEqual([]);
    expect(await ids(`${STAFF_PATH}?channel=sms&username=${member.account.username}`, admin)).toEqual([requestId]);
    expect((await campaigns.get(`${STAFF_PATH}?username=nobody-here`, admin)).body).toMatchObject({
      data: [],
      total: 0,
    });
    expectRefused(await campaigns.get(`${STAFF_PATH}?state=asleep`, admin), 400, STATE);
    expectRefused(await campaigns.get(`${STAFF_PATH}?channel=fax`, admin), 400, CHANNEL);
  });

  it('shows the times of all accounts in the zone of the viewer', async () => {
    const scheduledAt = new Date('2026-05-01T21:00:00Z');
    const there = await campaigns.join(0, { timeZone: 'Asia/Tokyo' });
    const ids = await Promise.all(
      [owner, there].map((member) => storeCampaign(campaigns.dataSource, member, 1, [], { scheduledAt })),
    );
    const viewer = await campaigns.join(0, { userType: 'admin', timeZone: 'America/New_York' });
    const listed = listOf(await campaigns.get(`${STAFF_PATH}?limit=1000`, viewer));
    for (const id of ids) {
      expect(listed.find((row) => row['request_id'] === id)?.['scheduled_at']).toBe('2026-05-01T17:00:00-04:00');
      expect(dataOf(await campaigns.get(`${STAFF_PATH}/${id}`, viewer))['scheduled_at']).toBe(
        '2026-05-01T17:00:00-04:00',
      );
    }
  });

  it('is for staff alone', async () => {
    for (const userType of ['client', 'reseller']) {
      expectRefused(await campaigns.get(STAFF_PATH, await campaigns.join(0, { userType })), 403, 'Forbidden');
    }
    expectRefused(await campaigns.get(STAFF_PATH, null), 401, 'Invalid Authorization token');
  });
});
