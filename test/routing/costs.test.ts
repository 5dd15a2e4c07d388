import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accountsOf, type Accounts } from '../support/accounts.js';
import { type RunningApi, startApi } from '../support/api.js';

const PATH = '/v6/api/admin/routes/carrier/costs';
const HTTP = { url: 'http://127.0.0.1:9/send', body: { to: '{{to}}' } };
const ROW = { prefix: '91', cost: '0.0045' };

describe('the costs of a route', () => {
  let api: RunningApi;
  let accounts: Accounts;
  let token: string;

  const call = (method: string, path = PATH, body?: unknown) =>
    accounts.call(method, path, { token, ...(body === undefined ? {} : { body }) });
  const route = (method: string): Promise<unknown> =>
    call(method, '/v6/api/admin/routes/carrier', { channel: 'sms', driver: 'http', config: HTTP });

  beforeAll(async () => {
    api = await startApi();
    accounts = accountsOf(api);
    token = accounts.token(await accounts.account({ userType: 'super' }));
    await route('PUT');
  });
  afterAll(async () => api.stop());

  it('are set, shown by prefix, replaced and removed, with an entry in the audit log each', async () => {
    expect(await accounts.row('GET', PATH, { token })).toEqual([404, 'Route costs not found']);
    const rows = [
      { prefix: '91', cost: '0.0045' },
      { prefix: '', cost: 1 },
      { prefix: '880', cost: '0' },
    ];
    const saved = await call('PUT', PATH, { currency: 'EUR', rows });
    const data = {
      route: 'carrier',
      currency: 'EUR',
      rows: [
        { prefix: '', cost: '1.00' },
        { prefix: '880', cost: '0.00' },
        { prefix: '91', cost: '0.0045' },
      ],
      updated_at: expect.any(String) as unknown,
    };
    expect(saved).toMatchObject({
      status: 200,
      body: { success: true, message: 'Route costs saved successfully', data },
    });
    expect((await call('GET')).body).toEqual({ success: true, data });
    const most = Array.from({ length: 10_000 }, (_, at) => ({ prefix: String(91_000_000 + at), cost: '9999.999999' }));
    expect((await call('PUT', PATH, { currency: 'USD', rows: most })).body['data']).toMatchObject({
      currency: 'USD',
      rows: { length: 10_000, 0: { prefix: '91000000', cost: '9999.999999' } },
    });
    expect(await accounts.row('DELETE', PATH, { token })).toEqual([200, 'Route costs deleted successfully']);
    expect(await accounts.row('DELETE', PATH, { token })).toEqual([404, 'Route costs not found']);
    const entries: { action: string; details: string }[] = await api.database.dataSource.query(
      "SELECT action, details FROM audit_log WHERE subject = 'carrier' AND action LIKE 'route.costs%' ORDER BY id",
    );
    const given = rows.map(({ prefix, cost }) => ({ prefix, cost: cost === '0.0045' ? cost : `${cost}.00` }));
    expect(entries.map(({ action, details }) => [action, JSON.parse(details)])).toEqual([
      ['route.costs', { currency: 'EUR', rows: given }],
      ['route.costs', { currency: 'USD', rows: 10_000 }],
      ['route.costs.delete', {}],
    ]);
  });

  it('write the row of their route, which who removes it on another node of a cluster writes too', async () => {
    const { dataSource } = api.database;
    const body = { currency: 'EUR', rows: [ROW] };
    for (const [method, sent] of [
      ['PUT', body],
      ['PUT', body],
      ['DELETE', undefined],
    ] as const) {
      await dataSource.query("UPDATE routes SET updated_at = '2020-01-01' WHERE name = 'carrier'");
      expect((await call(method, PATH, sent)).status).toBe(200);
      const [row] = await dataSource.query<{ updated_at: Date }[]>(
        "SELECT updated_at FROM routes WHERE name = 'carrier'",
      );
      expect(row?.updated_at.getFullYear()).toBeGreaterThan(2020);
    }
  });

  it('go with their route', async () => {
    await call('PUT', PATH, { currency: 'EUR', rows: [ROW] });
    await route('DELETE');
    for (const method of ['GET', 'DELETE']) {
      expect(await accounts.row(method, PATH, { token })).toEqual([404, 'Route not found']);
    }
    expect(await accounts.row('PUT', PATH, { token, body: { currency: 'EUR', rows: [ROW] } })).toEqual([
      404,
      'Route not found',
    ]);
    await route('PUT');
    expect(await accounts.row('GET', PATH, { token })).toEqual([404, 'Route costs not found']);
  });

  it('are for staff alone', async () => {
    const reseller = accounts.token(await accounts.account({ userType: 'reseller' }));
    for (const method of ['GET', 'PUT', 'DELETE']) {
      expect(await accounts.row(method, PATH, { token: reseller })).toEqual([403, 'Forbidden']);
    }
  });

  it.each<[unknown, string]>([
    [{ rows: [ROW] }, 'currency must be three capital letters'],
    [{ currency: 'eur', rows: [ROW] }, 'currency must be three capital letters'],
    [{ currency: 'EUR' }, 'rows must be a non-empty array'],
    [{ currency: 'EUR', rows: [] }, 'rows must be a non-empty array'],
    [{ currency: 'EUR', rows: Array(10_001).fill(ROW) }, 'rows must have at most 10000 entries'],
    [{ currency: 'EUR', rows: [null] }, 'rows[0].prefix must be at most 15 digits'],
    [{ currency: 'EUR', rows: [ROW, { cost: '1' }] }, 'rows[1].prefix must be at most 15 digits'],
    [{ currency: 'EUR', rows: [{ ...ROW, prefix: '1'.repeat(16) }] }, 'rows[0].prefix must be at most 15 digits'],
    [{ currency: 'EUR', rows: [{ ...ROW, prefix: '+91' }] }, 'rows[0].prefix must be at most 15 digits'],
    [{ currency: 'EUR', rows: [{ ...ROW, cost: '-1' }] }, 'rows[0].cost must be a decimal from 0 to 9999.999999'],
    [{ currency: 'EUR', rows: [{ ...ROW, cost: '10000' }] }, 'rows[0].cost must be a decimal from 0 to 9999.999999'],
    [
      { currency: 'EUR', rows: [{ ...ROW, cost: '0.0000001' }] },
      'rows[0].cost must be a decimal from 0 to 9999.999999',
    ],
    [{ currency: 'EUR', rows: [{ prefix: '91' }] }, 'rows[0].cost must be a decimal from 0 to 9999.999999'],
    [{ currency: 'EUR', rows: [ROW, ROW] }, 'rows must name a prefix once: "91"'],
  ])('are refused: %j', async (body, message) => {
    expect(await accounts.row('PUT', PATH, { token, body })).toEqual([400, message]);
  });
});
