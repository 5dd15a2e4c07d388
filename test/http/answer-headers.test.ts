import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accountsOf, type Accounts, PASSWORD } from '../support/accounts.js';
import { type RunningApi, startApi } from '../support/api.js';

const HSTS = 'strict-transport-security';
const NO_LIMITS = { USER_RATE_LIMIT: 0, LOGIN_FAILURE_LIMIT: 0, IP_FAILURE_LIMIT: 0, OPEN_MISS_LIMIT: 0 };
const METHODS = new Set(['get', 'post', 'put', 'patch', 'delete']);

interface Document {
  paths: Record<string, Record<string, unknown>>;
}

/** Every documented endpoint. */
const operations = (): [string, string][] => {
  const { paths } = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as Document;
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods)
      .filter((method) => METHODS.has(method))
      .map((method): [string, string] => [method.toUpperCase(), path]),
  );
};

describe('headers of answers', () => {
  let api: RunningApi;
  let accounts: Accounts;
  let token: string;
  let username: string;

  beforeAll(async () => {
    api = await startApi({ ...NO_LIMITS, TRUST_PROXY: '1' });
    accounts = accountsOf(api);
    const staff = await accounts.account({ userType: 'super' });
    ({ username } = staff);
    token = accounts.token(staff);
  });
  afterAll(() => api.stop());

  it('forbid to store what any endpoint answers in JSON, to those it knows and to those it does not', async () => {
    const all = operations();
    expect(all.length).toBeGreaterThan(150);
    const stored: string[] = [];
    let checked = 0;
    const walker = accounts.token(await accounts.account({ userType: 'super' }));
    for (const [method, template] of all) {
      if (template.includes('events') && method === 'GET') continue; // a stream does not end
      if (template.endsWith('/logout')) continue; // it would end the token of this walk
      const path = template.replace(/\{[^}]+\}/g, '1');
      for (const authorization of [undefined, `Bearer ${walker}`]) {
        const response = await fetch(api.url + path, {
          method,
          redirect: 'manual',
          headers: authorization === undefined ? {} : { authorization },
        });
        await response.arrayBuffer();
        if (!response.headers.get('content-type')?.startsWith('application/json')) continue;
        checked++;
        const kept = response.headers.get('cache-control') ?? '';
        if (!kept.includes('no-store')) stored.push(`${method} ${template} ${response.status}: ${kept}`);
      }
    }
    expect(stored).toEqual([]);
    expect(checked).toBeGreaterThan(250);
  }, 120_000);

  it('forbid to store tokens and secrets', async () => {
    const gateway = { channel: 'sms', driver: 'http', config: { url: 'http://127.0.0.1:9/x', body: { to: '{{to}}' } } };
    const expectSecret = async (method: string, path: string, body: unknown, secret: RegExp): Promise<string> => {
      const answer = await accounts.call(method, path, { token, body });
      const text = JSON.stringify(answer.body);
      expect(text, `${method} ${path}`).toMatch(secret);
      expect(answer.headers.get('cache-control'), `${method} ${path}`).toBe('no-store');
      return text;
    };
    await expectSecret('POST', '/v1/auth/login', { email_or_username: username, password: PASSWORD }, /"token":"ey/);
    await expectSecret('POST', '/v6/api/account/api-keys', { name: 'k', current_password: PASSWORD }, /"key":"/);
    const hook = { url: 'http://127.0.0.1:9/hook', events: ['gsm.status.update'] };
    const made = await expectSecret('POST', '/v6/api/webhooks', hook, /whsec_/);
    const { data } = JSON.parse(made) as { data: { id: number } };
    await expectSecret('POST', `/v6/api/webhooks/${data.id}/rotate-secret`, {}, /whsec_/);
    await expectSecret('PUT', '/v6/api/admin/routes/gw', gateway, /provider\/sms\/gw\//);
    await expectSecret('POST', '/v6/api/admin/routes/gw/rotate-callback-secret', {}, /provider\/sms\/gw\//);
  });

  it('ask for TLS from then on only behind TLS', async () => {
    const hsts = async (url: string, proto?: string): Promise<string | null> => {
      const headers: Record<string, string> = proto === undefined ? {} : { 'x-forwarded-proto': proto };
      return (await fetch(`${url}/health/live`, { headers })).headers.get(HSTS);
    };
    expect(await hsts(api.url)).toBeNull();
    expect(await hsts(api.url, 'http')).toBeNull();
    expect(await hsts(api.url, 'https')).toBe('max-age=31536000');
    const { environment, database } = api;
    const untrusting = await startApi({ ...environment, TRUST_PROXY: '' }, database);
    expect(await hsts(untrusting.url, 'https')).toBeNull();
    await untrusting.stop();
    const named = await startApi({ ...environment, TRUST_PROXY: '', PUBLIC_URL: 'https://sms.example' }, database);
    expect(await hsts(named.url)).toBe('max-age=31536000');
    await named.stop();
  });
});
