import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RecipientStatus, StopList } from '../../src/modules/engine/index.js';
import { FAILURE_CODES, ReceiptSink, RouteDirectory } from '../../src/modules/providers/index.js';
import { type Campaigns, dataOf, type Json, listOf, openCampaigns } from '../support/campaigns.js';
import type { Member } from '../support/sms.js';

const { Failed } = RecipientStatus;
const [ABSENT, UNKNOWN, STOPPED, LEFT, LATER] = [1, 2, 3, 4, 5].map((digit) => `91981234567${digit}`);

let campaigns: Campaigns;
let owner: Member;

beforeAll(async () => {
  campaigns = await openCampaigns();
  owner = await campaigns.join({ gsm_credits: 100, chat_marketing_credits: 100, chat_utility_credits: 100 });
});
afterAll(() => campaigns.stop());

const path = (requestId: string): string => `/v6/api/campaigns/${requestId}/retry-failed`;
const retry = (requestId: string, body: Json = {}) => campaigns.act(path(requestId), owner, body);
const quote = async (requestId: string, include = ''): Promise<Json> =>
  dataOf(await campaigns.get(`${path(requestId)}?include=${include}`, owner));

async function sendTemplate(name: string, to: readonly (string | undefined)[]): Promise<string> {
  const { status, body } = await campaigns.post(`/v6/api/chatTemplate/24/${owner.account.username}/messages`, owner, {
    ...{ messaging_product: 'chat', to, type: 'template' },
    template: { name, language: { code: 'en_US' } },
  });
  expect(status, JSON.stringify(body)).toBe(201);
  const requestId = String(body['request_id']);
  await campaigns.begin(requestId);
  return requestId;
}

const submitted = new Set<string>();

/** The provider reports a failure of one recipient. */
async function report(requestId: string, seq: number, errorCode: number | null, carrierCode?: string): Promise<void> {
  const providerMessageId = `${requestId}-${seq}`;
  if (!submitted.has(providerMessageId)) await campaigns.submit(requestId, seq, providerMessageId);
  submitted.add(providerMessageId);
  const [row] = await campaigns.dataSource.query<{ route_id: number }[]>(
    'SELECT route_id FROM campaigns WHERE request_id = ?',
    [requestId],
  );
  await campaigns.part(ReceiptSink).accept(Number(row?.route_id), [
    {
      providerMessageId,
      status: 'failed',
      errorCode,
      errorText: 'as reported',
      receiver: null,
      ...(carrierCode && { carrierCode }),
    },
  ]);
}

describe('retry-failed by the reasons of the failures', () => {
  it('leaves out whom no message reaches and who has left, says so with the price, and takes them if told to', async () => {
    const numbers = [ABSENT, UNKNOWN, STOPPED, LATER] as string[];
    const routes = campaigns.part(RouteDirectory);
    const config = { host: '127.0.0.1', port: 9, system_id: 'reasons', password: 'secret' };
    const carrier = { name: 'carrier', channel: 'sms', driver: 'smpp', config } as const;
    await campaigns.dataSource.transaction((tx) =>
      routes.put(tx, { ...carrier, messagesPerSecond: null, isDefault: false }),
    );
    routes.forget();
    const requestId = await campaigns.send(owner, numbers, { brodcast_service: 'carrier' });
    await campaigns.begin(requestId);
    await campaigns.settle(requestId, [1, 4], Failed, 'Absent subscriber');
    await campaigns.settle(requestId, [2], Failed, 'Unknown subscriber');
    await campaigns.settle(requestId, [3], Failed, 'Suppressed', true);
    await campaigns.dataSource.query(
      `UPDATE campaign_recipients SET error_code = IF(seq = 2, 1, 27)
       WHERE campaign_id = ? AND seq <> 3`,
      [await campaigns.idOf(requestId)],
    );
    const reasons = (permanent: boolean, left: boolean): Json[] => [
      { reason: 'temporary', count: 2, retried: true },
      { reason: 'permanent', count: 1, retried: permanent },
      { reason: 'opt_out', count: 1, retried: left },
    ];
    expect(await quote(requestId)).toEqual({ total_rows: 2, credits: 2, reasons: reasons(false, false) });
    expect(await quote(requestId, 'permanent,opt_out')).toMatchObject({ total_rows: 4, credits: 4 });
    const view = dataOf(await campaigns.get(`/v6/api/campaigns/${requestId}`, owner));
    expect(view['retriable']).toBe(true);
    const kinds = (view['failure_reasons'] as Json[]).map(({ error_code, reason }) => [error_code, reason]);
    const words = (view['failure_reasons'] as Json[]).map(
      ({ reason_text, remedy }) => `${String(reason_text)}: ${String(remedy)}`,
    );
    expect(words).toEqual(
      expect.arrayContaining([
        'The number is unknown or out of service: Check the number, or remove it from your list.',
        'The phone is switched off or out of reach: Retry later.',
        'The number is on your stop list: Nothing was charged. Leave it out.',
      ]),
    );
    expect(kinds).toEqual(
      expect.arrayContaining([
        [1, 'permanent'],
        [27, 'temporary'],
        [null, 'opt_out'],
      ]),
    );
    for (const include of ['all', ['permanent', 7]]) {
      const refused = await retry(requestId, { include });
      expect([refused.status, refused.body['message']]).toEqual([400, 'include must be a list of: permanent, opt_out']);
    }
    expect(dataOf(await retry(requestId))).toMatchObject({ total_rows: 2, credits: 2, reasons: reasons(false, false) });
    const none = await retry(requestId);
    expect([none.status, none.body['message']]).toEqual([409, 'Campaign has no failed recipients']);
    expect(await quote(requestId)).toMatchObject({ total_rows: 0, credits: 0 });
    expect(dataOf(await retry(requestId, { include: ['permanent'] }))).toMatchObject({
      ...{ total_rows: 1, credits: 1 },
      reasons: [
        { reason: 'permanent', count: 1, retried: true },
        { reason: 'opt_out', count: 1, retried: false },
      ],
    });
  });

  it("goes by what the route says of its carrier's codes, for the stop list too", async () => {
    const numbers = ['919812345681', '919812345682', '919812345683', '919812345684'];
    const routes = campaigns.part(RouteDirectory);
    const login = { host: '127.0.0.1', port: 9, system_id: 'own-kinds', password: 'secret' };
    const config = {
      ...login,
      failure_kinds: { 1: 'temporary', '0x22': 'permanent', DND: 'opt_out', 27: 'not_today' },
    };
    const route = {
      name: 'own-kinds',
      channel: 'sms',
      driver: 'smpp',
      messagesPerSecond: null,
      isDefault: false,
    } as const;
    await campaigns.dataSource.transaction((tx) => routes.put(tx, { ...route, config }));
    routes.forget();
    const requestId = await campaigns.send(owner, numbers, { brodcast_service: 'own-kinds' });
    await campaigns.begin(requestId);
    const codes = [{ errorCode: 1 }, { errorCode: 34 }, { errorCode: null, carrierCode: 'dnd' }, { errorCode: 27 }];
    for (const [index, code] of codes.entries()) await report(requestId, index + 1, code.errorCode, code.carrierCode);
    expect(await quote(requestId)).toMatchObject({
      total_rows: 2,
      reasons: [
        { reason: 'temporary', count: 1, retried: true },
        { reason: 'not_today', count: 1, retried: true },
        { reason: 'permanent', count: 1, retried: false },
        { reason: 'opt_out', count: 1, retried: false },
      ],
    });
    const listed = listOf(await campaigns.get('/v6/api/suppressions?number=919812345683', owner));
    expect(listed).toMatchObject([{ source: 'carrier', category: null }]);
    await campaigns.dataSource.transaction((tx) =>
      routes.put(tx, { ...route, config: { ...login, failure_kinds: { 34: 'temporary' } } }),
    );
    routes.forget();
    await campaigns.request('/v6/api/suppressions?number=919812345683', {
      method: 'DELETE',
      headers: { authorization: `Bearer ${owner.token}` },
    });
    const { reasons } = await quote(requestId);
    expect(reasons).toMatchObject([
      { reason: 'temporary', count: 3 },
      { reason: 'permanent', count: 1 },
    ]);
  });

  it('puts people who have left marketing on the stop list for marketing alone', async () => {
    await campaigns.connect(owner, 'official');
    await campaigns.template(owner, 'sale', { category: 1 });
    await campaigns.template(owner, 'order', { category: 2 });
    const sale = await sendTemplate('sale', [LEFT, LATER, UNKNOWN]);
    const order = await sendTemplate('order', [LEFT]);
    await report(sale, 1, 131050);
    await report(sale, 1, 131050);
    await report(sale, 2, 131049);
    await report(sale, 3, 131026);
    expect(await quote(sale)).toMatchObject({
      total_rows: 1,
      reasons: [
        { reason: 'not_today', count: 1, retried: true },
        { reason: 'permanent', count: 1, retried: false },
        { reason: 'opt_out', count: 1, retried: false },
      ],
    });
    const listed = async (): Promise<Json[]> => listOf(await campaigns.get('/v6/api/suppressions', owner));
    expect(await listed()).toMatchObject([{ number: LEFT, source: 'carrier', category: 'marketing' }]);
    const isHeld = async (requestId: string, number = LEFT): Promise<boolean> => {
      const campaignId = await campaigns.idOf(requestId);
      const among = [{ accountId: owner.account.id, campaignId, number: String(number) }];
      return (await campaigns.part(StopList).among(among)).has(0);
    };
    expect([await isHeld(sale), await isHeld(order), await isHeld(sale, LATER)]).toEqual([true, false, false]);
    // the owner wants nothing to go there at all
    await campaigns.act('/v6/api/suppressions', owner, { number: LEFT });
    expect(await listed()).toMatchObject([{ number: LEFT, source: 'api', category: null }]);
    expect(await isHeld(order)).toBe(true);
    const quota = "SELECT used FROM account_quotas WHERE account_id = ? AND kind = 'suppressions'";
    expect(await campaigns.dataSource.query(quota, [owner.account.id])).toEqual([{ used: 1 }]);
    await report(sale, 2, 131050);
    expect(await listed()).toMatchObject([{ number: LEFT, category: null }]);
  });

  it('knows the codes that the reference names', () => {
    const page = readFileSync(new URL('../../docs/reference/campaigns.md', import.meta.url), 'utf8');
    const [, table = ''] = page.split('### Reasons of failures');
    const named = new Set(table.split('\n## ')[0]?.match(/\d+/g));
    const codes = Object.values(FAILURE_CODES).flatMap(({ refused, failed }) =>
      [...Object.values(refused), ...Object.values(failed)].flatMap((list) => list.split(' ')),
    );
    expect(codes.filter((code) => !named.has(code))).toEqual([]);
  });
});
