import { TOTP } from 'otpauth';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AUTHENTICATION_METADATA, LIMITED_METADATA } from '../../src/modules/accounts/index.js';
import { readEnvironment } from '../../src/platform/config/index.js';
import { handlersOf } from '../architecture/house.js';
import { accountsOf, type Accounts, PASSWORD } from '../support/accounts.js';
import { type RunningApi, startApi } from '../support/api.js';

const FACTOR = '/v6/api/account/second-factor';
const MISSING = [403, 'Set up a second factor first'];
const OK = [200, undefined];

let api: RunningApi;
let accounts: Accounts;

beforeAll(async () => {
  api = await startApi({ USER_RATE_LIMIT: 0, REQUIRE_SECOND_FACTOR: 'staff' });
  accounts = accountsOf(api);
});
afterAll(() => api.stop());

const tokenOf = async (username: string, more: object = {}): Promise<string> => {
  const body = { email_or_username: username, password: PASSWORD, ...more };
  const answer = await accounts.call('POST', '/v1/auth/login', { body });
  expect(answer.status).toBe(200);
  return String(answer.body['token']);
};

describe('REQUIRE_SECOND_FACTOR', () => {
  it('is staff in production and off elsewhere, unless it is said', () => {
    const needed = {
      ...{ DATABASE_URL: 'mysql://user:password@localhost/name', REDIS_URL: 'redis://localhost' },
      ...{ JWT_SECRET: 'abcdefghijklmnopqrstuvwxyz0123456789', ENCRYPTION_KEY: '0123456789abcdef'.repeat(4) },
    };
    const rule = (more: object) => readEnvironment({ ...needed, ...more }).REQUIRE_SECOND_FACTOR;
    expect([rule({}), rule({ NODE_ENV: 'test' }), rule({ NODE_ENV: 'production' })]).toEqual(['off', 'off', 'staff']);
    expect(rule({ NODE_ENV: 'production', REQUIRE_SECOND_FACTOR: 'off' })).toBe('off');
  });

  it('leaves the login of staff as specified, and lets its session do nothing but set one up', async () => {
    const { username } = await accounts.account({ userType: 'super' });
    const token = await tokenOf(username);
    const routes = handlersOf(api.app).filter((handler) => handler.metadata(AUTHENTICATION_METADATA) !== undefined);
    expect(routes.length).toBeGreaterThan(150);
    const faults: string[] = [];
    for (const handler of routes) {
      const isOpen = handler.metadata(LIMITED_METADATA) === true;
      if (isOpen && handler.method !== 'GET') continue;
      for (const path of handler.paths) {
        const target = path.replace(/:username/g, username).replace(/:\w+/g, '999999');
        const hasBody = handler.method !== 'GET';
        const answer = await fetch(api.url + target, {
          method: handler.method,
          headers: { authorization: `Bearer ${token}`, ...(hasBody && { 'content-type': 'application/json' }) },
          ...(hasBody && { body: '{}' }),
        });
        const { message } = (await answer.json()) as { message?: string };
        const isRefused = answer.status === MISSING[0] && message === MISSING[1];
        if (isRefused === isOpen) faults.push(`${handler.name}: ${answer.status} ${message}`);
      }
    }
    expect(faults).toEqual([]);
    const dashboard = await fetch(`${api.url}/admin/queues`, {
      headers: { cookie: `admin_session=${token}`, accept: 'text/html' },
      redirect: 'manual',
    });
    expect(dashboard.status).toBe(302);
  });

  it('ends with the first factor, and keeps the last', async () => {
    const { username } = await accounts.account({ userType: 'admin' });
    const token = await tokenOf(username);
    const get = (path: string) => accounts.row('GET', path, { token });
    expect(await get('/v6/api/admin/accounts')).toEqual(MISSING);
    const begun = await accounts.call('POST', `${FACTOR}/totp`, { token, body: {} });
    const totp = new TOTP({ secret: (begun.body['data'] as { secret: string }).secret });
    const otp = totp.generate();
    expect((await accounts.row('POST', `${FACTOR}/totp/confirm`, { token, body: { otp } }))[0]).toBe(200);
    expect(await get('/v6/api/admin/accounts')).toEqual(OK);
    const { factors, ...rest } = (await accounts.call('GET', FACTOR, { token })).body['data'] as {
      factors: { id: number }[];
    };
    expect(rest).toMatchObject({ is_required: true, is_missing: false });
    expect(await accounts.row('DELETE', `${FACTOR}/${factors[0]?.id}`, { token })).toEqual([
      409,
      'The last second factor cannot be removed',
    ]);
    expect(await accounts.row('POST', `${FACTOR}/passkeys/options`, { token, body: {} })).toEqual([
      409,
      'Passkeys need a domain name',
    ]);
  });

  it('of staff concerns neither customers, nor resellers, nor tokens from before there were sessions', async () => {
    for (const userType of ['client', 'reseller']) {
      const token = await tokenOf((await accounts.account({ userType })).username);
      expect(await accounts.row('GET', '/v6/api/account/credits', { token })).toEqual(OK);
    }
    const token = accounts.token(await accounts.account({ userType: 'admin' }));
    expect(await accounts.row('GET', '/v6/api/admin/accounts', { token })).toEqual(OK);
  });
});
