import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accountsOf, type Accounts } from '../support/accounts.js';
import { type RunningApi, startApi } from '../support/api.js';

const PATH = '/v6/api/admin/margin';
const RANGE = 'from=2026-01-01&to=2026-01-31';

describe('the margin', () => {
  let api: RunningApi;
  let accounts: Accounts;
  let token: string;
  let jane: string;

  const data = async (query: string): Promise<unknown> =>
    (await accounts.call('GET', `${PATH}?${RANGE}&${query}`, { token })).body['data'];

  beforeAll(async () => {
    api = await startApi();
    accounts = accountsOf(api);
    token = accounts.token(await accounts.account({ userType: 'super' }));
    const account = await accounts.account();
    jane = account.username;
    await accounts.call('PUT', '/v6/api/admin/routes/carrier', {
      token,
      body: { channel: 'sms', driver: 'http', config: { url: 'http://127.0.0.1:9/send', body: { to: '{{to}}' } } },
    });
    const { dataSource } = api.database;
    const [route] = await dataSource.query<{ id: number }[]>("SELECT id FROM routes WHERE name = 'carrier'");
    const used = (day: string, prefix: string, charged: number, refunded: number): unknown[] => [
      account.id,
      day,
      'gsm_credits',
      'sms',
      prefix,
      '',
      charged,
      charged,
      refunded,
      refunded,
    ];
    const spent = (
      day: string,
      id: number,
      prefix: string,
      currency: string,
      shard: number,
      micros: number,
    ): unknown[] => [day, id, account.id, 'sms', prefix, currency, shard, 10, 12, micros];
    await dataSource.query('INSERT INTO usage_counters VALUES ?', [
      [used('2026-01-01', '91', 100, 10), used('2026-01-31', '44', 50, 0), used('2026-02-01', '44', 9, 0)],
    ]);
    await dataSource.query('INSERT INTO route_spend VALUES ?', [
      [
        spent('2026-01-01', route?.id ?? 0, '91', 'EUR', 1, 400_000),
        spent('2026-01-01', route?.id ?? 0, '91', 'EUR', 2, 100_001),
        spent('2026-01-31', 999_999, '44', 'USD', 1, 250_000),
        spent('2025-12-31', 999_999, '44', 'USD', 1, 1),
      ],
    ]);
  });
  afterAll(async () => api.stop());

  const eur = { currency: 'EUR', messages: 20, segments: 24, cost: '0.500001' };
  const usd = { currency: 'USD', messages: 10, segments: 12, cost: '0.25' };

  it('stands beside the credits, by day, account, channel, prefix and route', async () => {
    const first = { charged_credits: 100, refunded_credits: 10, credits: 90, costs: [eur], value: null, margin: null };
    const second = { charged_credits: 50, refunded_credits: 0, credits: 50, costs: [usd], value: null, margin: null };
    const all = {
      charged_credits: 150,
      refunded_credits: 10,
      credits: 140,
      costs: [eur, usd],
      value: null,
      margin: null,
    };
    const none = { charged_credits: null, refunded_credits: null, credits: null, value: null, margin: null };
    const day = await accounts.call('GET', `${PATH}?${RANGE}`, { token });
    expect(day.body).toEqual({
      success: true,
      data: [
        { key: '2026-01-01', ...first },
        { key: '2026-01-31', ...second },
      ],
      ...{ from: '2026-01-01', to: '2026-01-31', group: 'day' },
    });
    expect(await data('group=prefix')).toEqual([
      { key: '44', ...second },
      { key: '91', ...first },
    ]);
    expect(await data('group=account')).toEqual([{ key: jane, ...all }]);
    expect(await data('group=channel')).toEqual([{ key: 'sms', ...all }]);
    expect(await data('group=route&credit_value=1&currency=EUR')).toEqual([
      { key: '#999999', ...none, costs: [usd] },
      { key: 'carrier', ...none, costs: [eur] },
    ]);
  });

  it('is told in a currency where a credit has a value', async () => {
    expect(await data('group=prefix&credit_value=0.012&currency=EUR')).toMatchObject([
      { key: '44', value: '0.60', margin: null },
      { key: '91', value: '1.08', margin: '0.579999' },
    ]);
    expect(await data('group=channel&credit_value=0&currency=USD')).toMatchObject([{ value: '0.00', margin: '-0.25' }]);
  });

  it('is a CSV too', async () => {
    const response = await fetch(`${api.url}${PATH}?${RANGE}&group=channel&format=csv&credit_value=0.01&currency=EUR`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(response.headers.get('content-type')).toMatch(/^text\/csv/);
    expect((await response.text()).split('\r\n')).toEqual([
      'key,charged_credits,refunded_credits,credits,currency,messages,segments,cost,value,margin',
      'sms,150,10,140,EUR,20,24,0.500001,1.40,0.899999',
      'sms,,,,USD,10,12,0.25,,',
      '',
    ]);
  });

  it.each([
    ['group=campaign', 'group must be one of: day, account, channel, prefix, route'],
    ['from=x', 'from is invalid'],
    ['from=2026-02-01&to=2026-01-01', 'from must not be after to'],
    ['from=2025-01-01&to=2026-01-02', 'At most 366 days are allowed'],
    ['credit_value=-1', 'credit_value must be a decimal from 0 to 9999.999999'],
    ['credit_value=1', 'currency must be three capital letters'],
    ['format=xml', 'format must be one of: json, csv'],
  ])('refuses %s', async (query, message) => {
    expect(await accounts.row('GET', `${PATH}?${query}`, { token })).toEqual([400, message]);
  });

  it('is for staff alone', async () => {
    const reseller = accounts.token(await accounts.account({ userType: 'reseller' }));
    expect(await accounts.row('GET', PATH, { token: reseller })).toEqual([403, 'Forbidden']);
  });
});
