import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { dataOf, type Json, listOf } from '../support/campaigns.js';
import { openPagers, type Pagers } from '../support/pagers.js';
import type { Member } from '../support/sms.js';

const NUMBERS = Array.from({ length: 6 }, (_, index) => `91981234567${index}`);
const LANE_OF_SECOND = 2_049;
const WAIT = { timeout: 60_000, interval: 50 };

/** What owners see of recipients that went over to another route. */
describe('a campaign that went over to another route', () => {
  let campaigns: Pagers;
  let owner: Member;
  let requestId: string;
  let id: number;

  beforeAll(async () => {
    campaigns = await openPagers();
    owner = await campaigns.join(100);
    const first = await campaigns.addGateway('first', true);
    const second = await campaigns.addGateway('second', false);
    requestId = await campaigns.page(owner, 'Hi', NUMBERS, { schedule_time: '2099-01-01T00:00:00Z' });
    const [campaign] = await campaigns.dataSource.query<{ id: number }[]>(
      'SELECT id FROM campaigns WHERE request_id = ?',
      [requestId],
    );
    id = campaign?.id ?? 0;
    const change = async (row: readonly [lane: number, seq: number, toLane: number, fromSeq: number, at: string]) => {
      const [lane, seq, toLane, fromSeq, at] = row;
      await campaigns.dataSource.query(
        `INSERT INTO route_changes (campaign_id, lane, seq, fence, to_lane, from_seq, at, from_route, to_route, reason)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        [
          id,
          lane,
          seq,
          7 + fromSeq,
          toLane,
          fromSeq,
          at,
          ...(seq > 0 ? [first, second] : [second, 999_999]),
          `why ${seq}`,
        ],
      );
    };
    await change([0, 2, LANE_OF_SECOND, 2, '2099-01-01 00:00:01']);
    await change([0, 3, LANE_OF_SECOND, 3, '2099-01-01 00:00:02']);
    await change([0, 0, 0, 5, '2099-01-01 00:00:03']);
    await change([LANE_OF_SECOND, 0, LANE_OF_SECOND, 7, '2099-01-01 00:00:04']);
    // the first had left by then, the fourth may have, and the second still waited
    await campaigns.dataSource.query(
      `UPDATE campaign_recipients SET outcome_unknown = seq = 4, status = IF(seq = 1, 3, status),
         updated_at = '2099-01-01 00:00:00' WHERE campaign_id = ?`,
      [id],
    );
  });
  afterAll(() => campaigns.stop());

  const changesOf = async (seq: number): Promise<unknown[]> => {
    const path = `/v6/api/campaigns/${requestId}/contacts/${seq}/timeline`;
    const events = (dataOf(await campaigns.get(path, owner))['events'] ?? []) as Json[];
    return events.filter(({ event }) => event === 'route_changed').map(({ details }) => details);
  };

  it('says so in the detail: once a reason, with those that were refused counted', async () => {
    const changes = dataOf(await campaigns.get(`/v6/api/campaigns/${requestId}`, owner))['route_changes'] as Json[];
    expect(changes.map(({ from, to, reason, recipients }) => [from, to, reason, recipients])).toEqual([
      ['first', 'second', 'why 2', 1],
      ['first', 'second', 'why 3', 1],
      ['second', '#999999', 'why 0', null],
    ]);
    expect(listOf(await campaigns.get('/v6/api/campaigns', owner))[0]).not.toHaveProperty('route_changes');
  });

  it('says so in the timeline of who it was about', async () => {
    const refused = (seq: number) => ({ from: 'first', to: 'second', reason: `why ${seq}` });
    const moved = { from: 'second', to: '#999999', reason: 'why 0' };
    expect(await changesOf(2)).toEqual([refused(2), moved, moved]);
    expect(await changesOf(5)).toEqual([moved]);
    for (const seq of [1, 4]) expect(await changesOf(seq)).toEqual([]);
  });

  it('comes of refusals by a named code, over real gateways', async () => {
    const further = { error_code_path: 'code', error_text_path: 'text', failover_codes: ['NO_ROUTE'] };
    const picky = await campaigns.addGateway('picky', false, further);
    const kind = await campaigns.addGateway('kind', false, further);
    const answering = campaigns.server.answering;
    campaigns.server.answering = (delivery, response) => {
      if (delivery.path !== '/picky') return answering(delivery, response);
      response.writeHead(422).end(JSON.stringify({ code: 'NO_ROUTE', text: 'No way there' }));
      return undefined;
    };
    const terms = NUMBERS.slice(0, 2).map(() => ({ routeId: picky, fallbacks: [kind] }));
    const sent = await campaigns.page(owner, 'Hi', NUMBERS.slice(0, 2), { terms });
    const detail = async (): Promise<Json> => dataOf(await campaigns.get(`/v6/api/campaigns/${sent}`, owner));
    await vi.waitUntil(async () => ((await detail())['status_counts'] as Json)['PAGED'] === 2, WAIT);
    const paths = campaigns.server.deliveries.map(({ path }) => path).filter((path) => path !== '/first');
    expect(paths.toSorted()).toEqual(['/kind', '/kind', '/picky', '/picky']);
    const [change] = (await detail())['route_changes'] as Json[];
    const reason = '422: No way there';
    expect(change).toMatchObject({ from: 'picky', to: 'kind', reason, recipients: 2 });
    // a channel that makes several attempts counts those that a carrier took
    const contacts = listOf(await campaigns.get(`/v6/api/campaigns/${sent}/contacts`, owner));
    expect(contacts.map(({ attempts, credits }) => [attempts, credits])).toEqual([
      [1, 2],
      [1, 2],
    ]);
  });
});
