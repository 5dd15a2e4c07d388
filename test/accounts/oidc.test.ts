import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accountsOf, type Accounts, PASSWORD } from '../support/accounts.js';
import { type RunningApi, startApi } from '../support/api.js';
import { openIdProvider, type OpenIdProvider } from '../support/openid-provider.js';

const SITE = 'https://sms.example.com';
const OIDC = '/v6/api/auth/oidc';
const REFUSED = [401, 'Invalid Authorization token'];
const ACCOUNTS = '/v6/api/admin/accounts';

let api: RunningApi;
let accounts: Accounts;
let provider: OpenIdProvider;
/** People at the provider, by subject; changed by tests. */
let people: OpenIdProvider['people'];

beforeAll(async () => {
  provider = await openIdProvider();
  ({ people } = provider);
  provider.serve(SITE);
  api = await startApi({
    ...{ PUBLIC_URL: SITE, USER_RATE_LIMIT: 0, REQUIRE_SECOND_FACTOR: 'staff', ...provider.settings },
    OIDC_ROLES: [
      { role: 'super', value: 'platform' },
      { role: 'admin', value: 'support' },
    ],
  });
  accounts = accountsOf(api);
});
afterAll(async () => {
  await api.stop();
  provider.stop();
});

/** A browser that keeps cookies by site, and answers the pages of the provider. */
class Browser {
  private readonly jars = new Map<string, Map<string, string>>();

  constructor(private readonly subject: string) {}

  /** One request, without following. */
  async ask(address: string, init: Pick<RequestInit, 'method' | 'body'> = {}): Promise<Response> {
    const url = new URL(address.replace(SITE, api.url));
    const jar = this.jars.get(url.host) ?? new Map<string, string>();
    this.jars.set(url.host, jar);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, { ...init, redirect: 'manual', headers: { cookie } });
    for (const line of response.headers.getSetCookie()) {
      const [name = '', value = ''] = (line.split(';')[0] ?? '').split(/=(.*)/s);
      if (value === '' || /expires=Thu, 01 Jan 1970/i.test(line)) jar.delete(name);
      else jar.set(name, value);
    }
    return response;
  }

  /** The same cookies in another browser. */
  copied(): Browser {
    const copy = new Browser(this.subject);
    for (const [host, jar] of this.jars) copy.jars.set(host, new Map(jar));
    return copy;
  }

  /** Goes on until the page whose address fits. @returns it */
  async until(from: string, end: RegExp): Promise<string> {
    let at = from;
    for (let steps = 0; steps < 20 && !end.test(at); steps++) {
      const isPage = /\/interaction\//.test(at);
      const page = isPage ? await (await this.ask(at)).text() : '';
      const prompt = page.includes('name="login"') ? 'login' : 'consent';
      const body = new URLSearchParams({ prompt, login: this.subject, password: 'any' });
      const response = await this.ask(at, isPage ? { method: 'POST', body } : {});
      at = new URL(response.headers.get('location') ?? '', at).href;
    }
    return at;
  }

  /** The outcome that the login of the web application is told. */
  async logIn(query = ''): Promise<string> {
    const end = await this.until(`${SITE}${OIDC}/start${query}`, /\/app\/login/);
    return new URL(end).searchParams.get('oidc') ?? '';
  }

  async token(): Promise<string> {
    const response = await this.ask(`${SITE}${OIDC}/token`, { method: 'POST' });
    return String(((await response.json()) as { token?: string }).token);
  }
}

const use = (token: string) => accounts.row('GET', ACCOUNTS, { token });

describe('a login of staff by the identity provider', () => {
  it('makes the account at the first login, and asks for no second factor of its own', async () => {
    people['alice-1'] = {
      ...{ preferred_username: 'alice', groups: ['staff', 'support'], given_name: 'Alice', family_name: 'Doe' },
      ...{ email: 'Alice@Example.com', email_verified: true },
    };
    const browser = new Browser('alice-1');
    expect(await browser.logIn()).toBe('done');
    const answer = await browser.ask(`${SITE}${OIDC}/token`, { method: 'POST' });
    const body = (await answer.json()) as { token: string; user: object };
    expect(body.user).toMatchObject({ username: 'alice', email: 'alice@example.com', user_type: 'admin' });
    expect(await use(body.token)).toEqual([200, undefined]);
    expect((await browser.ask(`${SITE}${OIDC}/token`, { method: 'POST' })).status).toBe(401);
    expect(
      await accounts.row('POST', '/v1/auth/login', { body: { email_or_username: 'alice', password: 'x' } }),
    ).toEqual([401, 'Invalid credentials']);
    expect(await new Browser('alice-1').logIn()).toBe('done');
    const [count] = await api.database.dataSource.query<{ n: string }[]>(
      "SELECT COUNT(*) AS n FROM accounts WHERE username LIKE 'alice%'",
    );
    expect(Number(count?.n)).toBe(1);
  });

  it('takes the role of each login, and closes the account whose role was withdrawn', async () => {
    people['bob-1'] = { preferred_username: 'bob.staff', groups: ['platform'] };
    const first = new Browser('bob-1');
    expect(await first.logIn()).toBe('done');
    const token = await first.token();
    const roleOf = async () =>
      (
        await api.database.dataSource.query<{ user_type: string; is_active: number }[]>(
          "SELECT user_type, is_active FROM accounts WHERE username = 'bob.staff'",
        )
      )[0];
    expect(await roleOf()).toMatchObject({ user_type: 'super' });
    const root = await accounts.account({ userType: 'super' });
    people['bob-1'] = { preferred_username: 'renamed', groups: 'support' };
    expect(await new Browser('bob-1').logIn()).toBe('done');
    expect(await roleOf()).toMatchObject({ user_type: 'admin' });
    expect(await use(token)).toEqual(REFUSED);
    const later = new Browser('bob-1');
    expect(await later.logIn()).toBe('done');
    const another = await later.token();
    people['bob-1'] = { groups: ['cooks'] };
    expect(await new Browser('bob-1').logIn()).toBe('oidc_no_role');
    expect(Boolean((await roleOf())?.is_active)).toBe(false);
    expect(await use(another)).toEqual(REFUSED);
    people['bob-1'] = { groups: ['support'] };
    expect(await new Browser('bob-1').logIn()).toBe('done');
    const close = { is_active: false, current_password: PASSWORD };
    const closed = await accounts.row('PATCH', `${ACCOUNTS}/bob.staff`, { token: accounts.token(root), body: close });
    expect([closed[0], await new Browser('bob-1').logIn()]).toEqual([200, 'account_inactive']);
    expect(Boolean((await roleOf())?.is_active)).toBe(false);
  });

  it('makes none without a role, of a taken name, or of an e-mail that nobody verified', async () => {
    people['carl-1'] = { preferred_username: 'carl', groups: [] };
    expect(await new Browser('carl-1').logIn()).toBe('oidc_no_role');
    await accounts.account({ username: 'dora', email: 'dora@example.com' });
    people['dora-3'] = {
      ...{ preferred_username: 'dora.3', groups: ['platform'] },
      ...{ email: 'Dora@example.com', email_verified: true },
    };
    expect(await new Browser('dora-3').logIn()).toBe('email_taken');
    people['dora-1'] = { preferred_username: 'dora', groups: ['platform'] };
    expect(await new Browser('dora-1').logIn()).toBe('username_taken');
    people['dora-2'] = { preferred_username: 'dora.2', groups: ['support'], email: 'dora@example.com' };
    const browser = new Browser('dora-2');
    expect(await browser.logIn()).toBe('done');
    const answer = await browser.ask(`${SITE}${OIDC}/token`, { method: 'POST' });
    expect(await answer.json()).toMatchObject({ user: { username: 'dora.2', email: null } });
  });

  it('is good in the browser that began it alone, once, with its own state', async () => {
    people['eve-1'] = { preferred_username: 'eve.staff', groups: ['support'] };
    const browser = new Browser('eve-1');
    const callback = await browser.until(`${SITE}${OIDC}/start`, /\/oidc\/callback/);
    const outcome = async (who: Browser, address: string) =>
      (await who.ask(address)).headers.get('location')?.split('oidc=')[1];
    expect(await outcome(new Browser('eve-1'), callback)).toBe('oidc_failed');
    const other = new Browser('eve-1');
    await other.ask(`${SITE}${OIDC}/start`);
    expect(await outcome(other, callback)).toBe('oidc_failed');
    expect(await outcome(browser, callback.replace(/state=[^&]+/, 'state=other'))).toBe('oidc_failed');
    const again = new Browser('eve-1');
    const second = await again.until(`${SITE}${OIDC}/start`, /\/oidc\/callback/);
    expect(await outcome(again, second)).toBe('done');
    expect(await outcome(again, second)).toBe('oidc_failed');
    const third = new Browser('eve-1');
    expect(await third.logIn()).toBe('done');
    const copies = await Promise.all([third, third.copied(), third.copied()].map((one) => one.token()));
    expect(copies.filter((token) => token !== 'undefined')).toHaveLength(1);
    expect((await other.ask(`${SITE}${OIDC}/token`, { method: 'POST' })).status).toBe(401);
  });
});

describe('a session that the provider began', () => {
  const keys = (token: string) => accounts.row('POST', '/v6/api/account/api-keys', { token, body: {} });

  it('ends after 12 hours, and is confirmed by another login there alone', async () => {
    people['fred-1'] = { preferred_username: 'fred.staff', groups: ['platform'] };
    const browser = new Browser('fred-1');
    expect(await browser.logIn()).toBe('done');
    const token = await browser.token();
    const draft = { username: 'made.by.fred', password: PASSWORD, firstname: 'A', lastname: 'B', user_type: 'admin' };
    const make = (by: string) => accounts.row('POST', ACCOUNTS, { token: by, body: draft });
    expect(await keys(token)).toEqual([403, 'Confirm that it is you']);
    expect(await make(token)).toEqual([400, 'current_password is required']);
    const [session] = await api.database.dataSource.query<{ hours: string }[]>(
      `SELECT TIMESTAMPDIFF(MINUTE, s.created_at, s.expires_at) / 60 AS hours FROM login_sessions s
       JOIN accounts a ON a.id = s.account_id WHERE a.username = 'fred.staff' LIMIT 1`,
    );
    expect(Number(session?.hours)).toBe(12);
    expect(await browser.logIn('?confirm=true')).toBe('done');
    const confirmed = await browser.token();
    expect((await keys(confirmed))[0]).toBe(201);
    expect((await make(confirmed))[0]).toBe(201);
    expect(await keys(token)).toEqual([403, 'Confirm that it is you']);
  });

  it('of a withdrawn role ends with it, of the last super too, and its key', async () => {
    people['gina-1'] = { preferred_username: 'gina.staff', groups: ['platform'] };
    const browser = new Browser('gina-1');
    await browser.logIn('?confirm=true');
    const token = await browser.token();
    const made = await accounts.call('POST', '/v6/api/account/api-keys', { token, body: {} });
    const { key } = made.body['data'] as { key: string };
    const own = () => accounts.call('GET', '/v6/api/account', { headers: { 'x-api-key': key } });
    expect((await own()).status).toBe(200);
    await api.database.dataSource.query(
      "UPDATE accounts SET expires_at = '2099-01-01' WHERE user_type = 'super' AND username <> 'gina.staff'",
    );
    people['gina-1'] = { preferred_username: 'gina.staff' };
    expect(await new Browser('gina-1').logIn()).toBe('oidc_no_role');
    expect([await use(token), (await own()).status]).toEqual([REFUSED, 401]);
  });
});

describe('without an identity provider', () => {
  it('there is no such login', async () => {
    expect((await accounts.call('GET', OIDC)).body['data']).toEqual({ is_available: true });
    const plain = await startApi({});
    const theirs = accountsOf(plain);
    expect((await theirs.call('GET', OIDC)).body['data']).toEqual({ is_available: false });
    const off = [404, 'There is no login by an identity provider'];
    expect(await theirs.row('GET', `${OIDC}/start`)).toEqual(off);
    expect(await theirs.row('GET', `${OIDC}/callback`)).toEqual(off);
    expect(await theirs.row('POST', `${OIDC}/token`)).toEqual(off);
    await plain.stop();
  });
});
