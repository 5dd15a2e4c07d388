import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { RecipientStatus } from '../../src/modules/engine/index.js';
import { Settlement } from '../../src/modules/engine/settle/settlement.js';
import { inTransaction } from '../../src/platform/database/index.js';
import { dataOf, type Json, listOf } from '../support/campaigns.js';
import { openPagers, type Pagers } from '../support/pagers.js';
import type { Member } from '../support/sms.js';

const NUMBERS = Array.from({ length: 4 }, (_, index) => `91981234568${index}`);
const WAIT = { timeout: 60_000, interval: 50 };
const FURTHER = { error_code_path: 'code', error_text_path: 'text', failover_codes: ['NO_ROUTE'] };

/** Lanes that staff move back to a route which has refused their recipients. */
describe('recipients that a route has refused', () => {
  let campaigns: Pagers;
  let owner: Member;
  let staff: Member;

  beforeAll(async () => {
    campaigns = await openPagers();
    owner = await campaigns.join(1_000);
    staff = await campaigns.join(0, { userType: 'super' });
    const answering = campaigns.server.answering;
    campaigns.server.answering = (delivery, response) => {
      if (!delivery.path.startsWith('/picky')) return answering(delivery, response);
      response.writeHead(422).end(JSON.stringify({ code: 'NO_ROUTE', text: 'No way there' }));
      return undefined;
    };
  });
  afterAll(() => campaigns.stop());

  const route = async (name: string, action: string, body: Json): Promise<void> => {
    const answer = await campaigns.act(`/v6/api/admin/routes/${name}/${action}`, staff, body);
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  };
  const asked = (name: string): number => campaigns.server.deliveries.filter(({ path }) => path === `/${name}`).length;
  const waitingOn = async (requestId: string, routeId: number): Promise<number> => {
    const [row] = await campaigns.dataSource.query<{ waiting: string }[]>(
      `SELECT COUNT(*) AS waiting FROM recipient_retries t JOIN campaigns c ON c.id = t.campaign_id
       JOIN campaign_lanes l ON l.campaign_id = t.campaign_id AND l.lane = t.lane
       WHERE c.request_id = ? AND l.route_id = ?`,
      [requestId, routeId],
    );
    return Number(row?.waiting);
  };
  const contacts = async (requestId: string): Promise<Json[]> =>
    listOf(await campaigns.get(`/v6/api/campaigns/${requestId}/contacts`, owner));
  const state = async (requestId: string): Promise<unknown> =>
    dataOf(await campaigns.get(`/v6/api/campaigns/${requestId}`, owner))['state'];

  const checkedInS = async (requestId: string): Promise<number> => {
    const [row] = await campaigns.dataSource.query<{ seconds: number }[]>(
      'SELECT TIMESTAMPDIFF(SECOND, UTC_TIMESTAMP(3), overdue_check_at) AS seconds FROM campaigns WHERE request_id = ?',
      [requestId],
    );
    return Number(row?.seconds);
  };

  it('end with its refusal when their lane is moved back, and are not sent there twice', async () => {
    const [picky, kind] = [
      await campaigns.addGateway('picky', true, FURTHER),
      await campaigns.addGateway('kind', false, FURTHER),
    ];
    await route('kind', 'stop', { reason: 'x' });
    const terms = NUMBERS.map(() => ({ routeId: picky, fallbacks: [kind] }));
    const id = await campaigns.page(owner, 'Hi', NUMBERS, { terms });
    await vi.waitUntil(async () => (await waitingOn(id, kind)) === NUMBERS.length, WAIT);
    expect(await checkedInS(id)).toBeLessThanOrEqual(30);
    await route('kind', 'move', { to_route: 'picky' });
    await vi.waitUntil(async () => (await state(id)) === 'completed', WAIT);
    expect(
      (await contacts(id)).map((row) => [row['status'], row['errorMessage'], row['error_code'], row['attempts']]),
    ).toEqual(NUMBERS.map(() => ['LOST', 'No way there', 422, 1]));
    expect(asked('picky')).toBe(NUMBERS.length);
    expect(asked('kind')).toBe(0);
  });

  it('go once to a route that has not refused them, whose refusal then stands', async () => {
    const [first, second] = [
      await campaigns.addGateway('picky-first', false, FURTHER),
      await campaigns.addGateway('second', false, FURTHER),
    ];
    await campaigns.addGateway('picky-third', false, FURTHER);
    await route('second', 'stop', { reason: 'x' });
    const terms = [{ routeId: first, fallbacks: [second] }];
    const id = await campaigns.page(owner, 'Hi', NUMBERS.slice(0, 1), { terms });
    await vi.waitUntil(async () => (await waitingOn(id, second)) === 1, WAIT);
    await route('second', 'move', { to_route: 'picky-third' });
    await vi.waitUntil(async () => (await state(id)) === 'completed', WAIT);
    expect([asked('picky-first'), asked('second'), asked('picky-third')]).toEqual([1, 0, 1]);
    expect(await contacts(id)).toMatchObject([{ status: 'LOST', errorMessage: 'No way there', attempts: 2 }]);
  });

  it('keep a status that can be written when their tries are counted to the end', async () => {
    const id = await campaigns.page(owner, 'Hi', NUMBERS, { schedule_time: '2099-01-01T00:00:00Z' });
    const campaignId = await campaigns.idOf(id);
    await campaigns.dataSource.query('UPDATE campaign_recipients SET attempts = 255 WHERE campaign_id = ?', [
      campaignId,
    ]);
    await inTransaction(campaigns.dataSource, (tx) =>
      campaigns.part(Settlement).settle(
        tx,
        NUMBERS.map((_, index) => ({
          ...{ campaignId, seq: index + 1, to: RecipientStatus.Failed, errorCode: index, errorText: `why ${index}` },
          ...{ refund: false, attempted: true, tries: 3 },
        })),
      ),
    );
    expect((await contacts(id)).map((row) => [row['errorMessage'], row['attempts']])).toEqual(
      NUMBERS.map((_, index) => [`why ${index}`, 255]),
    );
  });
});
