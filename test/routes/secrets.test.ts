import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RouteDirectory } from '../../src/modules/providers/index.js';
import { accountsOf, type Accounts } from '../support/accounts.js';
import { type RunningApi, startApi } from '../support/api.js';

const PATH = '/v6/api/admin/routes';
const SMPP = { host: '127.0.0.1', port: 2775, system_id: 'switchboard', password: 'very-secret' };
const HTTP = {
  url: 'http://127.0.0.1:9/send',
  headers: { Authorization: 'Bearer very-secret' },
  body: { to: '{{to}}' },
};
const TWILIO = {
  account_sid: 'AC0123456789abcdef0123456789abcdef',
  auth_token: 'very-secret',
  from: '+1 555 123 4567',
};

describe('secrets of routes', () => {
  let api: RunningApi;
  let accounts: Accounts;
  let token: string;

  beforeAll(async () => {
    api = await startApi({ PUBLIC_URL: 'https://sms.example/' });
    accounts = accountsOf(api);
    token = accounts.token(await accounts.account({ userType: 'super' }));
  });
  afterAll(async () => api.stop());

  const put = (name: string, body: unknown) => accounts.call('PUT', `${PATH}/${name}`, { token, body });
  const refusal = (name: string, body: unknown) => accounts.row('PUT', `${PATH}/${name}`, { token, body });

  describe('keep their secrets at their address', () => {
    const KEYED = {
      ...HTTP,
      url: 'http://127.0.0.1:9/send?key={{secrets.key}}',
      body: { to: '{{to}}', key: '{{secrets.key}}' },
      secrets: { key: 'very-secret' },
    };
    const masked = { ...KEYED, headers: { Authorization: '***' }, secrets: { key: '***' } };
    const cases: [string, Record<string, unknown>, Record<string, unknown>, Record<string, unknown>, string][] = [
      [
        'smpp host',
        { channel: 'sms', driver: 'smpp' },
        SMPP,
        { ...SMPP, password: '***', host: '127.0.0.2' },
        'password',
      ],
      ['smpp port', { channel: 'sms', driver: 'smpp' }, SMPP, { ...SMPP, password: '***', port: 2776 }, 'password'],
      [
        'smpp system_id',
        { channel: 'sms', driver: 'smpp' },
        SMPP,
        { ...SMPP, password: '***', system_id: 'other' },
        'password',
      ],
      [
        'smpp without tls',
        { channel: 'sms', driver: 'smpp' },
        { ...SMPP, tls: true },
        { ...SMPP, password: '***', tls: false },
        'password',
      ],
      [
        'smpp with any certificate',
        { channel: 'sms', driver: 'smpp' },
        { ...SMPP, tls: true },
        { ...SMPP, password: '***', tls: true, tls_verify: false },
        'password',
      ],
      [
        'http host, a header kept',
        { channel: 'sms', driver: 'http' },
        KEYED,
        { ...masked, url: 'http://127.0.0.2:9/send', secrets: { key: 'new' } },
        'headers.Authorization',
      ],
      [
        'http port, a secret of body and URL kept',
        { channel: 'unofficial', driver: 'http' },
        KEYED,
        { ...masked, url: 'http://127.0.0.1:10/send?key={{secrets.key}}', headers: {} },
        'secrets.key',
      ],
      [
        'twilio base_url',
        { channel: 'voice', driver: 'twilio' },
        TWILIO,
        { ...TWILIO, auth_token: '***', base_url: 'https://evil.example' },
        'auth_token',
      ],
      [
        'twilio account_sid',
        { channel: 'voice', driver: 'twilio' },
        TWILIO,
        { ...TWILIO, auth_token: '***', account_sid: 'AC9' },
        'auth_token',
      ],
    ];
    it.each(cases)('%s', async (title, kind, first, moved, field) => {
      const name = title.replaceAll(/[^a-z]+/g, '-');
      const stored = async () => (await api.app.get(RouteDirectory, { strict: false }).byName(name))?.config;
      expect((await put(name, { ...kind, config: first })).status).toBe(200);
      const before = await stored();
      expect(await refusal(name, { ...kind, config: moved })).toEqual([
        400,
        `config.${field} is required with a new address`,
      ]);
      expect(await stored()).toEqual(before);
      const given = JSON.parse(JSON.stringify(moved).replaceAll('***', 'given-again')) as unknown;
      expect((await put(name, { ...kind, config: given })).status).toBe(200);
      expect(JSON.stringify(await stored())).toContain('given-again');
      expect(JSON.stringify(await stored())).not.toContain('very-secret');
      expect(await accounts.row('DELETE', `${PATH}/${name}`, { token })).toEqual([200, 'Route deleted successfully']);
    });

    it('and lose none to a change of anything else', async () => {
      await put('still', { channel: 'sms', driver: 'http', config: KEYED });
      const same = { ...masked, url: 'http://127.0.0.1:9/send?token={{secrets.key}}', method: 'PUT' };
      expect((await put('still', { channel: 'sms', driver: 'http', config: same })).status).toBe(200);
      const route = await api.app.get(RouteDirectory, { strict: false }).byName('still');
      expect(route?.config).toMatchObject({ secrets: { key: 'very-secret' }, headers: HTTP.headers, method: 'PUT' });
      expect(await accounts.row('DELETE', `${PATH}/still`, { token })).toEqual([200, 'Route deleted successfully']);
    });
  });

  describe('callbacks', () => {
    it('come to the address before for 24 hours more when the secret is rotated', async () => {
      const config = { channel: 'sms', driver: 'http', config: HTTP };
      const made = await put('turned', config);
      const addresses = [String((made.body['data'] as { callback_url: string }).callback_url)];
      const rotate = () => accounts.call('POST', `${PATH}/turned/rotate-callback-secret`, { token });
      const codes = () =>
        Promise.all(addresses.map(async (url) => (await accounts.call('GET', `${new URL(url).pathname}?id=1`)).status));
      for (const expected of [
        [200, 200],
        [403, 200, 200],
      ]) {
        const { status, body, headers } = await rotate();
        expect([status, body.message]).toEqual([200, 'Callback secret rotated successfully']);
        expect(headers.get('cache-control')).toBe('no-store');
        const data = body['data'] as { callback_url: string; previous_valid_until: string };
        const left = Date.parse(`${data.previous_valid_until.replace(' ', 'T')}Z`) - Date.now();
        expect(Math.abs(left - 24 * 3_600_000)).toBeLessThan(60_000);
        addresses.push(data.callback_url);
        expect(await codes()).toEqual(expected);
      }
      // A change of the route touches neither.
      await put('turned', { ...config, config: { ...HTTP, headers: { Authorization: '***' }, timeout_ms: 500 } });
      expect(await codes()).toEqual([403, 200, 200]);
      await api.database.dataSource.query(
        "UPDATE routes SET former_secret_until = UTC_TIMESTAMP(3) - INTERVAL 1 SECOND WHERE name = 'turned'",
      );
      api.app.get(RouteDirectory, { strict: false }).forget();
      expect(await codes()).toEqual([403, 403, 200]);
      const audit: { action: string; details: string }[] = await api.database.dataSource.query(
        "SELECT action, details FROM audit_log WHERE subject = 'turned' ORDER BY id",
      );
      expect(audit.filter(({ action }) => action === 'route.rotate_callback_secret')).toHaveLength(2);
      for (const url of addresses) expect(JSON.stringify(audit)).not.toContain(url.slice(url.lastIndexOf('/') + 1));
    });

    it('have no secret to rotate where there are none', async () => {
      await put('wired', { channel: 'sms', driver: 'smpp', config: SMPP });
      const rotate = (name: string) => accounts.row('POST', `${PATH}/${name}/rotate-callback-secret`, { token });
      expect(await rotate('nobody')).toEqual([404, 'Route not found']);
      expect(await rotate('wired')).toEqual([409, 'Route has no callback address']);
    });
  });
});
