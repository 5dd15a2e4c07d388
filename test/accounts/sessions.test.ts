import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Account } from '../../src/modules/accounts/index.js';
import { SessionStore } from '../../src/modules/accounts/sessions/sessions.store.js';
import { inTransaction } from '../../src/platform/database/index.js';
import { accountsOf, type Accounts, PASSWORD } from '../support/accounts.js';
import { type RunningApi, startApi } from '../support/api.js';
import { until } from '../support/processes.js';

const SESSIONS = '/v6/api/account/sessions';
const CREDITS = '/v6/api/account/credits';
const REFUSED = [401, 'Invalid Authorization token'];
const NOT_FOUND = [404, 'Session not found'];
const ENDED = [200, 'Session ended successfully'];
const ALL_ENDED = [200, 'Sessions ended successfully'];
const OK = [200, undefined];
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:131.0) Gecko/20100101 Firefox/131.0';

interface Session {
  id: number;
  state: string;
  is_current: boolean;
  device: string;
  address: string;
  reason: string | null;
  last_used_at: string;
  username?: string | null;
  user_id?: number | null;
}

let api: RunningApi;
let accounts: Accounts;

beforeAll(async () => {
  api = await startApi({ TRUST_PROXY: '1', USER_RATE_LIMIT: 0 });
  accounts = accountsOf(api);
});
afterAll(() => api.stop());

const sql = <T = unknown>(text: string, values: unknown[] = []) => api.database.dataSource.query<T>(text, values);
async function logIn(
  username: string,
  password = PASSWORD,
  from: { ip?: string; agent?: string } = {},
): Promise<string> {
  const answer = await accounts.call('POST', '/v1/auth/login', {
    body: { email_or_username: username, password },
    ip: from.ip ?? '203.0.113.7',
    headers: { 'user-agent': from.agent ?? FIREFOX },
  });
  expect(answer.status).toBe(200);
  return String(answer.body['token']);
}
async function signOut(holderId: number, reason: 'staff' | 'ended'): Promise<void> {
  const sessions = api.app.get(SessionStore);
  await inTransaction(api.database.dataSource, (tx) => sessions.endAll(tx, holderId, reason));
  sessions.forget();
}
const use = (token: string) => accounts.row('GET', CREDITS, { token });
const listed = async (token: string, path = SESSIONS): Promise<Session[]> =>
  (await accounts.call('GET', path, { token })).body['data'] as Session[];
const idOf = (token: string): number =>
  (JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { sid: number }).sid;
const rowOf = async (token: string) =>
  (
    await sql<{ reason: string | null; ended_at: Date | null; last_used_at: Date }[]>(
      'SELECT reason, ended_at, last_used_at FROM login_sessions WHERE id = ?',
      [idOf(token)],
    )
  )[0];
const reasonOf = async (token: string) => (await rowOf(token))?.reason;
async function person(
  of: Account,
  fields: object = {},
  token = accounts.token(of),
): Promise<{ id: number; username: string }> {
  const username = `p${Math.random().toString(36).slice(2, 10)}`;
  const body = { username, password: PASSWORD, firstname: 'A', lastname: 'B', current_password: PASSWORD, ...fields };
  const made = await accounts.call('POST', '/v6/api/account/users', { token, body });
  expect(made.status).toBe(201);
  return made.body['data'] as { id: number; username: string };
}

describe('a login', () => {
  it('is a session: device, address and times, listed to that login alone', async () => {
    const account = await accounts.account();
    const other = await accounts.account();
    const strangers = await logIn(other.username);
    const someone = await person(account);
    const theirs = await logIn(someone.username);
    const [first, second] = [
      await logIn(account.username, PASSWORD, { agent: 'curl/8.5.0' }),
      await logIn(account.username),
    ];
    const mine = await listed(second);
    expect(mine).toEqual([
      {
        ...{ id: idOf(second), state: 'active', is_current: true, device: 'Firefox 131 on Linux', reason: null },
        ...{ address: '203.0.113.7', ended_at: null },
        created_at: expect.any(String) as string,
        last_used_at: expect.any(String) as string,
        expires_at: expect.any(String) as string,
      },
      expect.objectContaining({ id: idOf(first), is_current: false, device: 'curl 8.5.0' }),
    ]);
    expect((await listed(theirs)).map(({ id }) => id)).toEqual([idOf(theirs)]);
    for (const foreign of [strangers, theirs]) {
      expect(await accounts.row('DELETE', `${SESSIONS}/${idOf(foreign)}`, { token: second })).toEqual(NOT_FOUND);
      expect(await use(foreign)).toEqual(OK);
    }
    expect(await accounts.row('GET', `${SESSIONS}?state=old`, { token: second })).toEqual([
      400,
      'state must be one of: active',
    ]);
    expect(await accounts.row('GET', `${SESSIONS}?cursor=x`, { token: second })).toEqual([400, 'cursor is invalid']);
  });

  it('keeps what a program claims to be short, whatever it sends', async () => {
    const { username } = await accounts.account();
    const token = await logIn(username, PASSWORD, { agent: `${'x'.repeat(7_000)}/1`, ip: '2001:db8::1' });
    expect((await listed(token))[0]).toMatchObject({ device: 'x'.repeat(32), address: '2001:db8::1' });
  });

  it('of which there are too many removes the oldest', async () => {
    const account = await accounts.account();
    const oldest = await logIn(account.username);
    const at = new Date();
    const later = new Date(Date.now() + 3_600_000);
    const rows = Array.from({ length: 1_000 }, (_, index) => [
      ...[idOf(oldest) + 1 + index, account.id, account.id, 'script', '10.0.0.1', at, later, at],
    ]);
    await sql(
      `INSERT INTO login_sessions (id, account_id, holder_id, device, address, last_used_at, expires_at, created_at) VALUES ?`,
      [rows],
    );
    const newest = await logIn(account.username);
    expect([await use(oldest), await use(newest)]).toEqual([REFUSED, OK]);
    const [count] = await sql<{ n: string }[]>('SELECT COUNT(*) AS n FROM login_sessions WHERE holder_id = ?', [
      account.id,
    ]);
    expect(Number(count?.n)).toBe(1_000);
  });
});

describe('the end of a session', () => {
  it('by logout, one by one, all others, and all', async () => {
    const { username } = await accounts.account();
    const tokens = await Promise.all(Array.from({ length: 5 }, () => logIn(username)));
    const [a = '', b = '', c = '', d = '', e = ''] = tokens;
    expect(await accounts.row('POST', '/v1/auth/logout', { token: a })).toEqual([200, 'Logged out successfully']);
    expect(await accounts.row('DELETE', `${SESSIONS}/${idOf(b)}`, { token: c })).toEqual(ENDED);
    expect(await accounts.row('DELETE', `${SESSIONS}/${idOf(b)}`, { token: c })).toEqual(NOT_FOUND);
    expect(await accounts.row('DELETE', `${SESSIONS}/bad`, { token: c })).toEqual(NOT_FOUND);
    expect(await Promise.all(tokens.map(use))).toEqual([REFUSED, REFUSED, OK, OK, OK]);
    expect(await accounts.row('DELETE', SESSIONS, { token: c })).toEqual(ALL_ENDED);
    expect(await Promise.all([c, d, e].map(use))).toEqual([OK, REFUSED, REFUSED]);
    expect((await listed(c, `${SESSIONS}?state=active`)).map(({ id }) => id)).toEqual([idOf(c)]);
    expect((await listed(c)).map(({ state }) => state).sort()).toEqual(['active', ...Array<string>(4).fill('ended')]);
    expect(await accounts.row('DELETE', `${SESSIONS}?own=true`, { token: c })).toEqual(ALL_ENDED);
    expect(await use(c)).toEqual(REFUSED);
    expect([await reasonOf(a), await reasonOf(b), await reasonOf(d)]).toEqual(['logout', 'ended', 'ended']);
  });

  it('is seen at every door', async () => {
    const admin = await accounts.account({ userType: 'admin' });
    const token = await logIn(admin.username);
    const headers = { cookie: `admin_session=${token}`, accept: 'text/html' };
    const doors = async () => [
      (await use(token))[0],
      (await accounts.row('GET', '/v6/api/admin/accounts', { token }))[0],
      (await fetch(`${api.url}/v5/api/index.php/addbroadcast`, { method: 'POST', headers: { authorization: token } }))
        .status,
      (
        await accounts.row('POST', '/webhook/api/createTemplates.php', { headers: { cookie: `auth_token=${token}` } })
      )[0],
      (await fetch(`${api.url}/admin/queues`, { headers, redirect: 'manual' })).status,
      (await accounts.row('GET', '/v6/api/campaigns/CAMP_X/events', { token }))[0],
    ];
    const before = await doors();
    expect([before[0], before[1], before[4], before[5]]).toEqual([200, 200, 200, 404]);
    expect(before).not.toContain(401);
    await signOut(admin.id, 'staff');
    expect(await doors()).toEqual([401, 401, 401, 401, 302, 401]);
  });

  it('by a new password, by a removal, by closing and by a lower role', async () => {
    const account = await accounts.account();
    const own = await logIn(account.username);
    const changed = await accounts.row('PUT', '/v6/api/account/password', {
      token: own,
      body: { current: PASSWORD, new: 'Other-Day-88' },
    });
    expect([changed[0], await use(own), await reasonOf(own)]).toEqual([200, REFUSED, 'password']);
    const token = await logIn(account.username, 'Other-Day-88');
    const change = async (id: number, body: object) =>
      (await accounts.row('PATCH', `/v6/api/account/users/${id}`, { token, body }))[0];
    for (const [body, reason] of [
      [{ password: 'Other-Day-99' }, 'password'],
      [{ is_active: false }, 'closed'],
      [{ role: 'viewer' }, 'role'],
    ] as const) {
      const someone = await person(account, { role: 'sender' }, token);
      const theirs = await logIn(someone.username);
      expect(await use(theirs)).toEqual(OK);
      expect([await change(someone.id, body), await use(theirs), await reasonOf(theirs)]).toEqual([
        200,
        REFUSED,
        reason,
      ]);
    }
    const raised = await person(account, { role: 'viewer' }, token);
    const kept = await logIn(raised.username);
    expect([await change(raised.id, { role: 'manager' }), await use(kept)]).toEqual([200, OK]);
    expect((await accounts.row('DELETE', `/v6/api/account/users/${raised.id}`, { token }))[0]).toBe(200);
    expect([await use(kept), await reasonOf(kept)]).toEqual([REFUSED, 'removed']);
    expect(await use(token)).toEqual(OK);
  });

  it('by staff who close, demote or give a password, and never again by opening the account', async () => {
    const root = accounts.token(await accounts.account({ userType: 'super' }));
    const patch = async (username: string, body: object) =>
      (
        await accounts.row('PATCH', `/v6/api/admin/accounts/${username}`, {
          token: root,
          body: { current_password: PASSWORD, ...body },
        })
      )[0];
    const client = await accounts.account();
    const someone = await person(client);
    const [own, theirs] = [await logIn(client.username), await logIn(someone.username)];
    expect(await patch(client.username, { is_active: false })).toBe(200);
    expect(await patch(client.username, { is_active: true })).toBe(200);
    expect([await use(own), await use(theirs)]).toEqual([REFUSED, REFUSED]);
    expect([await reasonOf(own), await reasonOf(theirs)]).toEqual(['closed', 'closed']);
    const admin = await accounts.account({ userType: 'admin' });
    const staffs = await logIn(admin.username);
    expect([await patch(admin.username, { user_type: 'client' }), await use(staffs)]).toEqual([200, REFUSED]);
    expect(await reasonOf(staffs)).toBe('role');
    const again = await logIn(client.username);
    expect([await patch(client.username, { password: 'Other-Day-88' }), await use(again)]).toEqual([200, REFUSED]);
    expect(await reasonOf(again)).toBe('password');
  });

  it('after 12 hours without a request for staff, and only with the token for others', async () => {
    for (const [userType, then] of [
      ['admin', REFUSED],
      ['super', REFUSED],
      ['reseller', OK],
      ['client', OK],
    ] as const) {
      const { username } = await accounts.account({ userType });
      const token = await logIn(username);
      await sql('UPDATE login_sessions SET last_used_at = last_used_at - INTERVAL 13 HOUR WHERE id = ?', [idOf(token)]);
      expect([userType, await use(token)]).toEqual([userType, then]);
    }
    const { username } = await accounts.account();
    const token = await logIn(username);
    await sql('UPDATE login_sessions SET expires_at = UTC_TIMESTAMP(3) WHERE id = ?', [idOf(token)]);
    expect(await use(token)).toEqual(REFUSED);
  });
});

describe('tokens', () => {
  it('of before there were sessions go on, until they are logged out or signed out everywhere', async () => {
    const account = await accounts.account();
    const [former, another] = [accounts.token(account), accounts.token(account)];
    const someone = await person(account);
    const theirs = await logIn(someone.username);
    expect(await Promise.all([use(former), use(another)])).toEqual([OK, OK]);
    expect(await listed(former)).toEqual([]);
    expect((await accounts.row('POST', '/v1/auth/logout', { token: former }))[0]).toBe(200);
    expect(await Promise.all([use(former), use(another)])).toEqual([REFUSED, OK]);
    await signOut(account.id, 'ended');
    expect(await Promise.all([use(another), use(theirs)])).toEqual([REFUSED, OK]);
    expect(await use(await logIn(account.username))).toEqual(OK);
  });

  it('whose session is unknown are refused, as a restored backup leaves them', async () => {
    const { username } = await accounts.account();
    const token = await logIn(username);
    await sql('DELETE FROM login_sessions WHERE id = ?', [idOf(token)]);
    expect(await use(token)).toEqual(REFUSED);
  });

  it('are not in the rows', async () => {
    const { username } = await accounts.account();
    const token = await logIn(username);
    const rows = JSON.stringify(await sql('SELECT * FROM login_sessions'));
    for (const part of token.split('.')) expect(rows).not.toContain(part);
    expect(rows).not.toContain(createHash('sha256').update(token).digest('hex'));
  });
});

describe('the use of a session', () => {
  it('is written at most once a minute, however many requests come', async () => {
    const { username } = await accounts.account();
    const token = await logIn(username);
    const id = idOf(token);
    await sql('UPDATE login_sessions SET last_used_at = last_used_at - INTERVAL 5 MINUTE WHERE id = ?', [id]);
    await Promise.all(Array.from({ length: 50 }, () => use(token)));
    await until('the use to be written', async () => {
      const { last_used_at: at } = (await rowOf(token)) ?? {};
      return at !== undefined && Date.now() - at.getTime() < 60_000;
    });
    const written = (await rowOf(token))?.last_used_at;
    api.app.get(SessionStore).forget();
    await Promise.all(Array.from({ length: 50 }, () => use(token)));
    await sleep(1_500);
    expect((await rowOf(token))?.last_used_at).toEqual(written);
  });
});

describe('staff', () => {
  it('see and end the sessions of accounts and their people, resellers those of their clients', async () => {
    const root = accounts.token(await accounts.account({ userType: 'super' }));
    const reseller = await accounts.account({ userType: 'reseller' });
    const theirs = accounts.token(reseller);
    const client = await accounts.account({ parentId: reseller.id });
    const someone = await person(client);
    const tokens = [await logIn(client.username), await logIn(client.username), await logIn(someone.username)];
    const [a = '', b = '', c = ''] = tokens;
    const path = `/v6/api/admin/accounts/${client.username}/sessions`;
    expect(await listed(theirs, path)).toMatchObject([
      { id: idOf(c), user_id: someone.id, username: someone.username, is_current: false },
      { id: idOf(b), user_id: null, username: client.username },
      { id: idOf(a) },
    ]);
    expect(await accounts.row('DELETE', `${path}/${idOf(a)}`, { token: theirs })).toEqual(ENDED);
    expect(await accounts.row('DELETE', `${path}/${idOf(a)}`, { token: theirs })).toEqual(NOT_FOUND);
    expect(await accounts.row('DELETE', `${path}?user_id=${someone.id}`, { token: root })).toEqual(ALL_ENDED);
    expect(await Promise.all(tokens.map(use))).toEqual([REFUSED, OK, REFUSED]);
    expect(await accounts.row('DELETE', `${path}?user_id=77`, { token: root })).toEqual([404, 'User not found']);
    expect(await accounts.row('DELETE', `${path}?user_id=x`, { token: root })).toEqual([404, 'User not found']);
    expect(await accounts.row('DELETE', path, { token: root })).toEqual(ALL_ENDED);
    expect(await use(b)).toEqual(REFUSED);
    expect((await listed(root, `${path}?state=active`)).length).toBe(0);
    expect(await accounts.row('GET', `${path}?state=old`, { token: root })).toEqual([
      400,
      'state must be one of: active',
    ]);
    expect(await accounts.row('GET', `${path}?cursor=x`, { token: root })).toEqual([400, 'cursor is invalid']);
    const log = await accounts.call('GET', '/v6/api/account/log?kind=change', {
      token: await logIn(client.username),
    });
    expect(JSON.stringify(log.body)).toContain('session.end_all');
  });

  it('do not reach those of staff above them, or of strangers', async () => {
    const root = await accounts.account({ userType: 'super' });
    const token = await logIn(root.username);
    const admin = accounts.token(await accounts.account({ userType: 'admin' }));
    const reseller = accounts.token(await accounts.account({ userType: 'reseller' }));
    const path = `/v6/api/admin/accounts/${root.username}/sessions`;
    for (const target of [path, `${path}/${idOf(token)}`]) {
      expect(await accounts.row('DELETE', target, { token: admin })).toEqual([403, 'Forbidden']);
      expect(await accounts.row('DELETE', target, { token: reseller })).toEqual([404, 'Account not found']);
    }
    const client = await accounts.account();
    const theirs = await logIn(client.username);
    expect(await accounts.row('DELETE', `${path}/${idOf(theirs)}`, { token })).toEqual(NOT_FOUND);
    expect([await use(token), await use(theirs)]).toEqual([OK, OK]);
  });
});

describe('the end of a session on one instance', () => {
  it('acts on every other instance within seconds', async () => {
    const other = await startApi(api.environment, api.database);
    try {
      const { username } = await accounts.account();
      const token = await logIn(username);
      const there = async () => (await accountsOf(other).row('GET', CREDITS, { token }))[0];
      expect(await there()).toBe(200);
      expect(await accounts.row('DELETE', `${SESSIONS}?own=true`, { token })).toEqual(ALL_ENDED);
      await until('the other instance to refuse it', async () => (await there()) === 401);
    } finally {
      await other.stop();
    }
  });
});
