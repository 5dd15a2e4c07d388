import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Member, openSms, PASSWORD, type Sms } from '../support/sms.js';
import { account, bearer, dataOf, KEYS, USERS, waysOf } from '../support/ways.js';

const NUMBER = '919812345678';

let sms: Sms;
let ways: ReturnType<typeof waysOf>;
let root: Member;
let owner: Member;
let names = 0;

beforeAll(async () => {
  sms = await openSms({ TRUST_PROXY: '1', OUTBOUND_ALLOW: '127.0.0.0/8' });
  ways = waysOf(sms);
  root = await sms.join(0, { userType: 'super' });
  owner = await sms.join(100);
});
afterAll(() => sms.stop());

const call = (...parameters: Parameters<typeof ways.call>) => ways.call(...parameters);
const get = (path: string, by: Member = owner) => ways.get(path, by);
const person = (...parameters: Parameters<typeof ways.person>) => ways.person(...parameters);
const key = (of: Member) => ways.key(of);

/** Who made a thing is kept with it and shown (reference/accounts#makers). */
describe('created_by', () => {
  it('names the account, the person or the key with everything they make', async () => {
    for (const { headers, maker } of [account(owner), await person(owner), await key(owner)]) {
      const n = ++names;
      const made = async (path: string, body: unknown): Promise<Record<string, unknown>> => {
        const answer = await call('POST', path, headers, body);
        expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
        return dataOf(answer);
      };
      const webhook = await made('/v6/api/webhooks', {
        url: `http://127.0.0.1:9/${n}`,
        events: ['gsm.status.update'],
      });
      expect(webhook['created_by']).toEqual(maker);
      expect((await get('/v6/api/webhooks'))[n > 0 ? (await get('/v6/api/webhooks')).length - 1 : 0]).toMatchObject({
        created_by: maker,
      });
      const sender = await made('/v6/api/sender-ids', { sender_id: `MAKER${n}`, channel: 'sms' });
      expect(sender['created_by']).toEqual(maker);
      const list = await made('/v6/api/lists', { name: `list ${n}` });
      const copy = await made('/v6/api/lists', { name: `copy ${n}`, from_list_id: list['list_id'] });
      for (const each of [list, copy]) expect(each['created_by']).toEqual(maker);
      const csv = { ...headers, 'content-type': 'text/csv' };
      const upload = dataOf(
        await sms.request('/v6/api/uploads', { method: 'POST', headers: csv, body: `to\n${NUMBER}\n` }),
      );
      expect(upload['created_by']).toEqual(maker);

      const body = { broadcast_name: 'Made', brodcast_service: 'main', message: 'Hello', contacts: [NUMBER] };
      const sent = await call('POST', '/webhook/api/addbroadcastgsm.php', headers, body);
      expect(Object.keys(sent.body).sort()).not.toContain('created_by');
      const requestId = String(sent.body['request_id']);
      const campaign = dataOf(await call('GET', `/v6/api/campaigns/${requestId}`, headers));
      expect(campaign['created_by']).toEqual(maker);
      const [debit] = await get('/v6/api/account/credits/ledger?balance=gsm_credits&limit=1');
      expect(debit).toMatchObject({ kind: 'debit', request_id: requestId, created_by: maker });
      const [entry] = await get('/v6/api/account/log?kind=send&limit=1');
      expect(entry).toMatchObject({ action: 'campaign.create', subject: requestId, created_by: maker });
    }
    const [shownKey] = await get(KEYS);
    expect(shownKey).toMatchObject({ created_by: account(owner).maker });
    const [shownPerson] = await get(USERS);
    expect(shownPerson).toMatchObject({ created_by: account(owner).maker });
  });

  it('of many sends in one group is that of each', async () => {
    const ways = [account(owner), await person(owner), await key(owner)];
    const body = { broadcast_name: 'Group', brodcast_service: 'main', message: 'Hello', contacts: [NUMBER] };
    const sent = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        call('POST', '/webhook/api/addbroadcastgsm.php', ways[index % 3]!.headers, body),
      ),
    );
    const ids = sent.map((answer) => String(answer.body['request_id']));
    const ledger = await get('/v6/api/account/credits/ledger?balance=gsm_credits&limit=12');
    const byId = new Map(ledger.map((line) => [line['request_id'], line['created_by']]));
    expect(ids.map((id) => byId.get(id))).toEqual(ids.map((_, index) => ways[index % 3]!.maker));
  });

  it('names staff to staff alone', async () => {
    const boss = await person(root);
    const username = `maker.client${++names}`;
    const draft = { username, password: PASSWORD, firstname: 'A', lastname: 'B' };
    const made = await call('POST', '/v6/api/admin/accounts', boss.headers, draft);
    const full = { kind: 'staff', id: boss.id, name: boss.maker['name'] };
    expect(dataOf(made)['created_by']).toEqual(full);
    const grant = { balance: 'gsm_credits', amount: 5 };
    const credits = `/v6/api/admin/accounts/${username}/credits`;
    expect((await call('POST', credits, boss.headers, grant)).status).toBe(200);
    const change = { password: 'Rainy-Day-8' };
    expect((await call('PATCH', `/v6/api/admin/accounts/${username}`, boss.headers, change)).status).toBe(200);
    const login = { email_or_username: username, password: 'Rainy-Day-8' };
    const own = bearer(String((await call('POST', '/v1/auth/login', {}, login)).body['token']));
    const hidden = { kind: 'staff', id: null, name: null };
    const ledger = await call('GET', '/v6/api/account/credits/ledger?balance=gsm_credits', own);
    expect(dataOf<unknown[]>(ledger)).toMatchObject([{ kind: 'grant', created_by: hidden }]);
    const log = dataOf<Record<string, unknown>[]>(await call('GET', '/v6/api/account/log?kind=change', own));
    expect(log.map(({ action, username: by, details, created_by }) => ({ action, by, details, created_by }))).toEqual([
      {
        action: 'account.change',
        by: 'staff',
        details: { fields: ['password', 'revoke_api_keys', 'revoke_users', 'revoke_created'] },
        created_by: hidden,
      },
      { action: 'credits.grant', by: 'staff', details: { fields: ['balance', 'amount', 'note'] }, created_by: hidden },
      { action: 'account.create', by: 'staff', details: expect.any(Object) as object, created_by: hidden },
    ]);
    expect(JSON.stringify(log)).not.toContain(String(boss.maker['name']));
  });

  it('names staff of the house to no reseller', async () => {
    const seller = await sms.join(0, { userType: 'reseller' });
    const makeBy = async ({ token }: Member, parent_username: string): Promise<string> => {
      const username = `maker.client${++names}`;
      const draft = { username, password: PASSWORD, firstname: 'A', lastname: 'B', parent_username };
      expect((await call('POST', '/v6/api/admin/accounts', bearer(token), draft)).status).toBe(201);
      return username;
    };
    const [own, theirs] = [await makeBy(seller, seller.account.username), await makeBy(root, seller.account.username)];
    const itself = { kind: 'staff', id: seller.account.id, name: seller.account.username };
    const hidden = { kind: 'staff', id: null, name: null };
    const listed = await get('/v6/api/admin/accounts', seller);
    expect(listed.map(({ username, created_by }) => [username, created_by])).toEqual([
      [theirs, hidden],
      [own, itself],
    ]);
    expect((await get('/v6/api/admin/accounts', root))[0]).toMatchObject({
      username: theirs,
      created_by: { kind: 'staff', id: root.account.id, name: root.account.username },
    });
  });
});

/** What a person or key made may end with it (reference/accounts#makers). */
describe('removing a person or a key', () => {
  const hook = (way: Parameters<typeof ways.hook>[0]) => ways.hook(way);
  const webhook = (of: Member, id: number) => ways.webhook(of, id);

  it('tells what they made: that of people ends, that of keys only when that is said', async () => {
    const member = await sms.join(10);
    for (const [base, way] of [
      [USERS, await person(member)],
      [KEYS, await key(member)],
    ] as const) {
      const other = await hook(account(member));
      const kept = await hook(way);
      const shown = await get(`${base}/${way.id}/created`, member);
      expect(shown).toEqual([{ kind: 'webhook', id: kept, name: expect.any(String) as string, is_active: true }]);
      expect((await call('DELETE', `${base}/${way.id}`, bearer(member.token))).status).toBe(200);
      const left = base === USERS ? 'disabled' : 'active';
      expect(await webhook(member, kept)).toMatchObject({ status: left, created_by: way.maker });

      const next = base === USERS ? await person(member) : await key(member);
      const ended = await hook(next);
      expect((await call('DELETE', `${base}/${next.id}?revoke=true`, bearer(member.token))).status).toBe(200);
      expect(await webhook(member, ended)).toMatchObject({
        status: 'disabled',
        disabled_reason: 'The person or key that made it was removed',
      });
      expect(await webhook(member, other)).toMatchObject({ status: 'active' });
      const stranger = await sms.join(0);
      const path = `${base}/${way.id}/created`;
      expect((await call('GET', path, bearer(stranger.token))).status).toBe(404);
    }
  });

  it('is the owner’s to prepare: a person under the account is shown nothing', async () => {
    const member = await sms.join(0);
    const [one, other, own] = [await person(member), await person(member), await key(member)];
    await hook(own);
    for (const path of [`${USERS}/${other.id}/created`, `${KEYS}/${own.id}/created`]) {
      const refused = await call('GET', path, one.headers);
      expect(refused.status).toBe(403);
      expect(refused.body).toMatchObject({ success: false, message: 'Permission denied', code: 'missing_right' });
      expect(refused.body).not.toHaveProperty('data');
    }
  });

  it('counts whoever sets another URL of a webhook as its maker', async () => {
    const member = await sms.join(10);
    const way = await key(member);
    const [moved, renewed] = [await hook(account(member)), await hook(account(member))];
    const change = (id: number, body: unknown) => call('PATCH', `/v6/api/webhooks/${id}`, way.headers, body);
    expect(dataOf(await change(moved, { url: 'http://127.0.0.1:9/elsewhere' }))['created_by']).toEqual(way.maker);
    const same = await change(renewed, { status: 'active', events: ['voice.status.update'] });
    expect(dataOf(same)['created_by']).toEqual(account(member).maker);
    expect(await get(`${KEYS}/${way.id}/created`, member)).toMatchObject([{ kind: 'webhook', id: moved }]);
  });

  it('of staff closes whom a person promoted, and whom the accounts that it made have made', async () => {
    const boss = await sms.join(0, { userType: 'super' });
    const thief = await person(boss, 'Rainy-Day-8');
    const friend = await sms.join(0);
    const path = `/v6/api/admin/accounts/${friend.account.username}`;
    const promotion = { user_type: 'super', current_password: 'Rainy-Day-8' };
    const promoted = await call('PATCH', path, thief.headers, promotion);
    expect(dataOf(promoted)).toMatchObject({ created_by: { kind: 'staff', id: thief.id } });
    const helper = await person(friend);
    const draft = { password: PASSWORD, firstname: 'A', lastname: 'B', user_type: 'admin', current_password: PASSWORD };
    const made: string[] = [];
    for (const { headers } of [account(friend), helper]) {
      const username = `maker.made${++names}`;
      made.push(username);
      expect((await call('POST', '/v6/api/admin/accounts', headers, { ...draft, username })).status).toBe(201);
    }
    // one that was promoted so promotes the owner again: the owner stays
    for (const user_type of ['admin', 'super']) {
      const change = { user_type, current_password: PASSWORD };
      const own = `/v6/api/admin/accounts/${boss.account.username}`;
      expect((await call('PATCH', own, account(friend).headers, change)).status).toBe(200);
    }
    const shown = await get(`${USERS}/${thief.id}/created`, boss);
    expect(shown.map(({ name }) => name)).toEqual([friend.account.username, ...made]);
    const removal = { current_password: PASSWORD };
    const removed = await call('DELETE', `${USERS}/${thief.id}?revoke=true`, bearer(boss.token), removal);
    expect(removed.status, JSON.stringify(removed.body)).toBe(200);
    for (const username of [friend.account.username, ...made]) {
      const answer = await call('GET', `/v6/api/admin/accounts/${username}`, bearer(boss.token));
      expect(dataOf(answer)['is_active']).toBe(false);
    }
  });

  it('of staff closes the accounts of staff that a person made, with the owner’s password', async () => {
    const boss = await sms.join(0, { userType: 'super' });
    const thief = await person(boss, 'Rainy-Day-8');
    const make = async (user_type: string): Promise<string> => {
      const username = `maker.made${++names}`;
      const draft = { username, password: PASSWORD, firstname: 'A', lastname: 'B', user_type };
      const refused = await call('POST', '/v6/api/admin/accounts', thief.headers, draft);
      expect(refused.status).toBe(user_type === 'client' ? 201 : 400);
      if (refused.status === 400) {
        const proved = { ...draft, current_password: 'Rainy-Day-8' };
        expect((await call('POST', '/v6/api/admin/accounts', thief.headers, proved)).status).toBe(201);
      }
      return username;
    };
    const [admin, client] = [await make('admin'), await make('client')];
    const shown = await get(`${USERS}/${thief.id}/created`, boss);
    expect(shown).toMatchObject([{ kind: 'account', name: admin, is_active: true }]);
    const path = `${USERS}/${thief.id}?revoke=true`;
    const refused = await call('DELETE', path, bearer(boss.token));
    expect([refused.status, refused.body['message']]).toEqual([400, 'current_password is required']);
    expect((await call('DELETE', path, bearer(boss.token), { current_password: PASSWORD })).status).toBe(200);
    const open = async (username: string) => {
      const login = { email_or_username: username, password: PASSWORD };
      return (await call('POST', '/v1/auth/login', {}, login)).status;
    };
    expect([await open(admin), await open(client)]).toEqual([401, 200]);
  });
});

/** The ten kinds of change that left no entry, and those beside them (reference/accounts#own-log). */
describe('the own log', () => {
  it('has an entry for every change that a key makes', async () => {
    const member = await sms.join(10);
    const by = await key(member);
    const done = async (method: string, path: string, body?: unknown): Promise<Record<string, unknown>> => {
      const answer = await call(method, path, by.headers, body);
      expect(answer.status, `${method} ${path} ${JSON.stringify(answer.body)}`).toBeLessThan(300);
      return answer.body;
    };
    const idOf = (body: Record<string, unknown>, field = 'id'): string =>
      String((body['data'] as Record<string, unknown>)[field]);
    await done('PUT', '/v6/api/account/balance-alerts', { gsm_credits: 5 });
    await done('PUT', '/v6/api/account/number-check', { number_check: 'warn' });
    await done('PUT', '/v6/api/account/time-zone', { time_zone: 'UTC' });
    await done('POST', '/v6/api/suppressions', { numbers: [NUMBER] });
    await done('DELETE', '/v6/api/suppressions', { number: NUMBER });
    const csv = { ...by.headers, 'content-type': 'text/csv' };
    await sms.request('/v6/api/suppressions/import', { method: 'POST', headers: csv, body: `${NUMBER}\n` });
    const sender = await done('POST', '/v6/api/sender-ids', { sender_id: 'LOGGED', channel: 'sms' });
    await done('DELETE', `/v6/api/sender-ids/${idOf(sender)}`);
    const list = idOf(await done('POST', '/v6/api/lists', { name: 'logged' }), 'list_id');
    await done('POST', `/v6/api/lists/${list}/members`, { members: [{ to: NUMBER }] });
    await done('DELETE', `/v6/api/lists/${list}/members/${NUMBER}`);
    const upload = await sms.request('/v6/api/uploads', { method: 'POST', headers: csv, body: `to\n${NUMBER}\n` });
    await done('POST', `/v6/api/lists/${list}/members`, { upload_id: Number(idOf(upload.body, 'upload_id')) });
    const template = await done('POST', '/webhook/api/createTemplates.php', {
      template_name: 'logged',
      category: 'utility',
      body: 'Hello',
    });
    const templates = dataOf<{ id: number }[]>(await call('GET', '/v6/api/templates', by.headers));
    expect(template['status'] ?? template['success']).toBeTruthy();
    await done('PUT', `/v6/api/templates/${templates[0]!.id}`, { body: 'Hello again' });
    await done('DELETE', `/v6/api/templates/${templates[0]!.id}`);
    const request = await done('POST', '/v6/api/account/profile-request', { verified_name: 'Acme' });
    await done('PUT', `/v6/api/account/profile-request/${idOf(request)}`, { verified_name: 'Acme Ltd' });
    await done('DELETE', `/v6/api/account/profile-request/${idOf(request)}`);
    const entries = await get('/v6/api/account/log?limit=100&kind=change', member);
    const byKey = entries.filter(({ api_key }) => api_key !== null);
    expect(byKey.map(({ action }) => action).reverse()).toEqual([
      'balance_alerts.set',
      'account.change',
      'account.change',
      'suppression.add',
      'suppression.remove',
      'suppression.import',
      'sender_id.register',
      'sender_id.remove',
      'list.create',
      'list.add_members',
      'list.remove_member',
      'upload.create',
      'list.add_members',
      'template.create',
      'template.change',
      'template.remove',
      'profile_request.create',
      'profile_request.change',
      'profile_request.remove',
    ]);
    for (const { created_by } of byKey) expect(created_by).toMatchObject({ kind: 'key' });
  });

  it('has what was done to a campaign, and who sent it', async () => {
    const member = await sms.join(10);
    const by = await key(member);
    const body = {
      broadcast_name: 'Later',
      brodcast_service: 'main',
      message: 'Hello',
      contacts: [NUMBER],
      schedule_time: '2035-01-01 10:00:00',
    };
    const sent = await call('POST', '/webhook/api/addbroadcastgsm.php', by.headers, body);
    const id = String(sent.body['request_id']);
    for (const change of ['pause', 'resume', 'cancel'])
      expect((await call('POST', `/v6/api/campaigns/${id}/${change}`, by.headers)).status).toBe(200);
    const entries = await get('/v6/api/account/log?limit=4', member);
    expect(entries.map(({ action, subject, kind }) => [kind, action, subject])).toEqual([
      ['change', 'campaign.cancel', id],
      ['change', 'campaign.resume', id],
      ['change', 'campaign.pause', id],
      ['send', 'campaign.create', id],
    ]);
  });
});
