import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Account,
  ADMIN_METADATA,
  type AuthenticationRules,
  AUTHENTICATION_METADATA,
  neededRights,
  NEEDS_METADATA,
  type PersonRole,
  PERSON_ROLES,
  type Right,
  ROLE_RIGHTS,
  type Scope,
  SCOPES,
  TEST_KEYS_METADATA,
} from '../../src/modules/accounts/index.js';
import { RecipientStatus } from '../../src/modules/engine/index.js';
import { type Handler, handlersOf } from '../architecture/house.js';
import { accountsOf, type Accounts, PASSWORD } from '../support/accounts.js';
import { type RunningApi, startApi } from '../support/api.js';
import { storeCampaign } from '../support/stored-campaign.js';

const USERS = '/v6/api/account/users';
const DENIED = [403, 'Permission denied'];

interface Route {
  name: string;
  method: string;
  path: string;
  needs: readonly Right[];
  isAdmin: boolean;
  apiKey: boolean;
  tests: boolean;
}

let api: RunningApi;
let accounts: Accounts;
let owner: Account;
let root: Account;
let routes: Route[];
const people = new Map<string, string>();

/** Each endpoint of the running application that asks for a token, with values in its path. */
const routesOf = (handlers: readonly Handler[]): Route[] =>
  handlers.flatMap((handler) => {
    const rules = handler.metadata<AuthenticationRules>(AUTHENTICATION_METADATA);
    if (!rules) return [];
    const isAdmin = handler.metadata(ADMIN_METADATA) !== undefined;
    const needs = neededRights(handler.metadata(NEEDS_METADATA), handler.method, isAdmin);
    return handler.paths.map((path) => ({
      name: handler.name,
      method: handler.method,
      path: path.replace(/:username/g, owner.username).replace(/:\w+/g, '999999'),
      needs,
      isAdmin,
      apiKey: rules.apiKey,
      tests: handler.metadata(TEST_KEYS_METADATA) === true,
    }));
  });

async function person(of: Account, role: PersonRole): Promise<string> {
  const username = `${role}-of-${of.username}`;
  const body = { username, password: PASSWORD, firstname: 'A', lastname: 'B', role, current_password: PASSWORD };
  const made = await accounts.call('POST', USERS, { token: accounts.token(of), body });
  expect([made.status, (made.body['data'] as { role: string }).role]).toEqual([201, role]);
  const login = await accounts.call('POST', '/v1/auth/login', {
    body: { email_or_username: username, password: PASSWORD },
  });
  return String(login.body['token']);
}

/** Status and text, without reading a body that does not end. */
async function ask(route: Route, headers: Record<string, string>): Promise<[number, string | undefined]> {
  const hasBody = route.method !== 'GET';
  const answer = await fetch(api.url + route.path, {
    method: route.method,
    headers: { ...headers, ...(hasBody && { 'content-type': 'application/json' }) },
    ...(hasBody && { body: '{}' }),
    redirect: 'manual',
  });
  const text = await answer.text();
  try {
    return [answer.status, (JSON.parse(text) as { message?: string }).message];
  } catch {
    return [answer.status, undefined];
  }
}

/** The routes whose answers differ from the table: 403 exactly where the right is missing. */
async function faultsOf(rights: readonly Right[], headers: Record<string, string>, which: Route[]): Promise<string[]> {
  const faults: string[] = [];
  for (const route of which) {
    const answer = await ask(route, headers);
    const isDenied = JSON.stringify(answer) === JSON.stringify(DENIED);
    const mayDo = route.needs.some((right) => rights.includes(right));
    if (isDenied === mayDo) faults.push(`${route.method} ${route.path}: ${answer.join(' ')}`);
  }
  return faults;
}

beforeAll(async () => {
  api = await startApi({ USER_RATE_LIMIT: 0, BROADCAST_RATE_LIMIT: 0 });
  accounts = accountsOf(api);
  owner = await accounts.account({ username: 'owner' });
  root = await accounts.account({ username: 'root', userType: 'super' });
  routes = routesOf(handlersOf(api.app));
  for (const role of PERSON_ROLES) {
    people.set(`owner ${role}`, await person(owner, role));
    people.set(`root ${role}`, await person(root, role));
  }
});
afterAll(() => api.stop());

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const tokenOf = (who: string): string => people.get(who) ?? '';
/** Concern the own login alone, whatever its role: each is seen by its own test. */
const OF_OWN_LOGIN =
  /^(AuthenticationController\.logOut|SessionsController\.endAll|SecondFactorController\.\w+|ConfirmationController\.\w+)$/;
const isLogout = ({ name }: Route): boolean => name === 'AuthenticationController.logOut';
const changing = (): Route[] => routes.filter(({ method, name }) => method !== 'GET' && !OF_OWN_LOGIN.test(name));

/** A checksum of each table, but for sessions, which note when they are used. */
async function everything(): Promise<Record<string, string>> {
  const listed = await api.database.dataSource.query<Record<string, string>[]>('SHOW TABLES');
  const names = listed.flatMap((row) => Object.values(row)).filter((name) => name !== 'login_sessions');
  const rows = await api.database.dataSource.query<{ Table: string; Checksum: string }[]>(
    `CHECKSUM TABLE ${names.map((name) => `\`${name}\``).join(', ')}`,
  );
  return Object.fromEntries(rows.map(({ Table, Checksum }) => [Table, String(Checksum)]));
}

describe('the rights of a key', () => {
  const keyOf = async (scopes: readonly Scope[] | null): Promise<Record<string, string>> => {
    const body = { ...(scopes && { scopes }) };
    const made = await accounts.call('POST', '/v6/api/account/api-keys', { token: accounts.token(owner), body });
    return { 'x-api-key': (made.body['data'] as { key: string }).key };
  };

  it.each(SCOPES)(
    'with the scope %s alone are those of the table, on every endpoint that takes keys',
    async (scope) => {
      const taking = routes.filter(({ isAdmin, apiKey }) => !isAdmin && apiKey);
      expect(taking.length).toBeGreaterThan(80);
      expect(await faultsOf([scope, 'self'], await keyOf([scope]), taking)).toEqual([]);
    },
  );

  it('without scopes are all of them, and never reach staff, keys, people or passwords', async () => {
    const headers = await keyOf(null);
    expect(
      await faultsOf(
        ROLE_RIGHTS.owner,
        headers,
        routes.filter(({ apiKey }) => apiKey),
      ),
    ).toEqual([]);
    for (const route of routes.filter(({ apiKey }) => !apiKey)) {
      expect([route.path, (await ask(route, headers))[0]]).toEqual([route.path, 401]);
    }
  });

  it('of a test key reach the endpoints that are open to test keys, and change nothing live', async () => {
    const body = { mode: 'test' };
    const made = await accounts.call('POST', '/v6/api/account/api-keys', { token: accounts.token(owner), body });
    const headers = { 'x-api-key': (made.body['data'] as { key: string }).key };
    const taking = routes.filter(({ isAdmin, apiKey }) => !isAdmin && apiKey);
    const before = await everything();
    const denied: string[] = [];
    for (const route of taking) {
      if (JSON.stringify(await ask(route, headers)) === JSON.stringify(DENIED)) denied.push(route.name);
    }
    const closed = taking.filter(({ tests }) => !tests).map(({ name }) => name);
    expect(closed.length).toBeGreaterThan(40);
    expect(denied).toEqual(closed);
    const after = await everything();
    // the last use of the key, and the marks of commits
    const changed = Object.keys(after).filter(
      (table) => after[table] !== before[table] && !/\.(api_keys|transaction_marks)$/.test(table),
    );
    expect(changed).toEqual([]);
  });
});

describe('the rights of a person', () => {
  it.each(PERSON_ROLES)('of the role %s are those of the table, on every endpoint of an owner', async (role) => {
    const own = routes.filter((route) => !route.isAdmin && !isLogout(route));
    expect(own.length).toBeGreaterThan(90);
    expect(await faultsOf(ROLE_RIGHTS[role], bearer(tokenOf(`owner ${role}`)), own)).toEqual([]);
  });

  it.each(PERSON_ROLES)('of the role %s are those of the table, on every endpoint of staff', async (role) => {
    const admin = routes.filter(({ isAdmin }) => isAdmin);
    expect(admin.length).toBeGreaterThan(60);
    expect(await faultsOf(ROLE_RIGHTS[role], bearer(tokenOf(`root ${role}`)), admin)).toEqual([]);
  });

  it.each(['owner', 'root'])('let a viewer of %s change nothing at all', async (account) => {
    const before = await everything();
    const token = tokenOf(`${account} viewer`);
    const answers = await Promise.all(
      changing().map(async (route) => [route.name, ...(await ask(route, bearer(token)))]),
    );
    const done = answers.filter(([, status]) => Number(status) < 300).map(([name]) => name);
    // these read only; `{}` names no numbers, and no password
    expect(done.filter((name) => name !== 'NumbersController.read')).toEqual([]);
    expect(await everything()).toEqual(before);
  });

  it('include the own login: who one is, and logging out', async () => {
    const token = await person(await accounts.account({ username: 'leaver' }), 'viewer');
    const me = await accounts.call('GET', '/v6/api/account', { token });
    expect(me.body['data']).toMatchObject({ person: { role: 'viewer' }, rights: ['read', 'self'] });
    expect((await accounts.row('POST', '/v1/auth/logout', { token, body: {} }))[0]).toBe(200);
    expect((await accounts.row('GET', '/v6/api/account', { token }))[0]).toBe(401);
  });

  it('hold for sms_get.php, whose password is that of a person', async () => {
    const query = (who: string) =>
      `/v5/api/sms_get.php?username=${who}&password=${encodeURIComponent(PASSWORD)}&message=hi&number=919812345678`;
    expect(await accounts.row('GET', query('viewer-of-owner'))).toEqual(DENIED);
    expect((await accounts.row('GET', query('sender-of-owner')))[1]).not.toBe('Permission denied');
  });

  it('follow a change of the role, and stay what they were without one', async () => {
    const account = await accounts.account({ username: 'changer' });
    const token = accounts.token(account);
    const body = { username: 'plain', password: PASSWORD, firstname: 'A', lastname: 'B' };
    const made = (await accounts.call('POST', USERS, { token, body })).body['data'] as { id: number; role: string };
    expect(made.role).toBe('manager');
    const change = (role: unknown) => accounts.call('PATCH', `${USERS}/${made.id}`, { token, body: { role } });
    expect((await change('root')).body.message).toBe('role must be one of: owner, manager, sender, viewer');
    expect((await change('viewer')).body['data']).toMatchObject({ role: 'viewer' });
    expect((await change(null)).body['data']).toMatchObject({ role: 'viewer' });
    const login = await accounts.call('POST', '/v1/auth/login', {
      body: { email_or_username: 'plain', password: PASSWORD },
    });
    const theirs = String(login.body['token']);
    const pause = () => accounts.row('POST', '/v6/api/campaigns/CAMP_X/pause', { token: theirs, body: {} });
    expect(await pause()).toEqual(DENIED);
    expect((await change('sender')).status).toBe(200);
    expect(await pause()).toEqual([404, 'Campaign not found']);
    const [audit] = await api.database.dataSource.query<{ details: string }[]>(
      "SELECT details FROM audit_log WHERE action = 'user.change' AND subject = 'plain' ORDER BY id DESC LIMIT 1",
    );
    expect(JSON.parse(audit!.details)).toMatchObject({ role: 'sender' });
  });
});

describe('a username in the body', () => {
  it('adds no right to the token of a person of that account', async () => {
    const path = '/webhook/api/addbroadcastgsm.php';
    const body = {
      username: 'owner',
      broadcast_name: 'a',
      brodcast_service: 'b',
      contacts: ['919812345678'],
      message: 'c',
    };
    const sent = async (token?: string): Promise<number> =>
      (await accounts.call('POST', path, { ...(token !== undefined && { token }), body })).status;
    expect(await sent(tokenOf('owner viewer'))).toBe(403);
    expect(await sent(tokenOf('owner sender'))).toBe(503); // there is no route
    expect(await sent()).toBe(503); // as the account allows it without any token
  });
});

describe('a campaign of another account', () => {
  it('is paused by people of staff who may manage, not by those who only send', async () => {
    const dataSource = api.app.get(DataSource, { strict: false });
    const member = { account: owner, token: accounts.token(owner) };
    const requestId = await storeCampaign(dataSource, member, 1, [RecipientStatus.Pending]);
    const pause = async (who: string): Promise<number> =>
      (await accounts.call('POST', `/v6/api/campaigns/${requestId}/pause`, { token: tokenOf(who) })).status;
    expect(await pause('root sender')).toBe(403);
    expect(await pause('root manager')).toBe(200);
    expect(await pause('owner viewer')).toBe(403);
  });
});
