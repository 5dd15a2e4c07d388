import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Member, openSms, PASSWORD, type Sms } from '../support/sms.js';
import { account, bearer, dataOf, type Way, waysOf } from '../support/ways.js';

const NEXT = 'Rainy-Day-8';
const ALL = '/v6/api/account/created';
const REMOVED = { status: 'disabled', disabled_reason: 'The person or key that made it was removed' };

let sms: Sms;
let ways: ReturnType<typeof waysOf>;
let names = 0;

/** An account with a key and a person, each of which made a webhook, and a webhook of its own. */
interface Holder {
  member: Member;
  key: Way;
  person: Way;
  hooks: { own: number; byKey: number; byPerson: number };
}

beforeAll(async () => {
  sms = await openSms({ OUTBOUND_ALLOW: '127.0.0.0/8', LOGIN_FAILURE_LIMIT: 0 });
  ways = waysOf(sms);
});
afterAll(() => sms.stop());

async function holder(userType = 'client', parentId?: number): Promise<Holder> {
  const member = await sms.join(0, { userType, ...(parentId === undefined ? {} : { parentId }) });
  const [key, person] = [await ways.key(member), await ways.person(member)];
  const own = await ways.hook(account(member));
  return { member, key, person, hooks: { own, byKey: await ways.hook(key), byPerson: await ways.hook(person) } };
}
const statuses = async ({ hooks }: Holder): Promise<string[]> => {
  const rows: { id: number; status: string }[] = await sms.dataSource.query(
    'SELECT id, status FROM webhook_endpoints WHERE id IN (?)',
    [Object.values(hooks)],
  );
  const of = new Map(rows.map(({ id, status }) => [id, status]));
  return [hooks.own, hooks.byKey, hooks.byPerson].map((id) => of.get(id) ?? 'gone');
};
const change = ({ member }: Holder, fields: object) =>
  ways.call('PUT', '/v6/api/account/password', bearer(member.token), { current: PASSWORD, new: NEXT, ...fields });
const made = async (path: string, headers: Record<string, string>) =>
  dataOf<Record<'api_keys' | 'users', Record<string, unknown>[]>>(await ways.call('GET', path, headers));

/** What keys and people made ends with them, when a new password ends them (reference/accounts#makers). */
describe('a changed password that ends keys and people', () => {
  it('shows before what they made, and leaves that of keys unless that is said', async () => {
    const own = await holder();
    const { api_keys, users } = await made(ALL, bearer(own.member.token));
    expect(api_keys).toEqual([
      { kind: 'webhook', id: own.hooks.byKey, name: expect.stringContaining('hook-secret'), is_active: true },
    ]);
    expect(users).toMatchObject([{ kind: 'webhook', id: own.hooks.byPerson, is_active: true }]);
    const refused = await ways.call('GET', ALL, own.person.headers);
    expect([refused.status, refused.body['message']]).toEqual([403, 'Permission denied']);
    expect((await change(own, { revoke_api_keys: true, revoke_users: true })).status).toBe(200);
    expect(await statuses(own)).toEqual(['active', 'active', 'disabled']);
  });

  it('ends what those made that it ends, by all or by their ids', async () => {
    for (const chosen of ['all', 'named'] as const) {
      const own = await holder();
      const odd = await change(own, { revoke_created: 'yes' });
      expect([odd.status, odd.body['message']]).toEqual([400, 'revoke_created must be true or false']);
      const keys = chosen === 'all' ? true : [own.key.id];
      expect((await change(own, { revoke_api_keys: keys, revoke_created: true })).status).toBe(200);
      expect(await statuses(own)).toEqual(['active', 'disabled', 'active']);
      const again = {
        ...own,
        member: { ...own.member, token: String((await ways.logIn(own.member.account.username, NEXT)).body['token']) },
      };
      expect(await ways.webhook(again.member, own.hooks.byKey)).toMatchObject(REMOVED);
      const users = chosen === 'all' ? true : [own.person.id];
      const fields = { current: NEXT, new: PASSWORD, revoke_users: users, revoke_created: true };
      expect((await change(again, fields)).status).toBe(200);
      expect(await statuses(own)).toEqual(['active', 'disabled', 'disabled']);
    }
  });

  it('of an account of staff closes the accounts of staff that its people made', async () => {
    const own = await holder('super');
    const username = `revoked.made${++names}`;
    const draft = { username, password: PASSWORD, firstname: 'A', lastname: 'B', user_type: 'admin' };
    const body = { ...draft, current_password: PASSWORD };
    expect((await ways.call('POST', '/v6/api/admin/accounts', own.person.headers, body)).status).toBe(201);
    expect((await made(ALL, bearer(own.member.token))).users).toMatchObject([
      { kind: 'account', name: username, is_active: true },
      { kind: 'webhook' },
    ]);
    expect((await change(own, { revoke_users: true, revoke_created: true })).status).toBe(200);
    expect((await ways.logIn(username, PASSWORD)).status).toBe(401);
    expect((await ways.logIn(own.member.account.username, NEXT)).status).toBe(200);
    expect(await statuses(own)).toEqual(['active', 'active', 'disabled']);
  });

  it('of an account that was super once neither shows nor ends staff: only super changes staff', async () => {
    const seller = await sms.join(0, { userType: 'reseller' });
    const own = await holder('super');
    const username = `revoked.made${++names}`;
    const draft = { username, password: PASSWORD, firstname: 'A', lastname: 'B', user_type: 'admin' };
    const body = { ...draft, current_password: PASSWORD };
    expect((await ways.call('POST', '/v6/api/admin/accounts', own.person.headers, body)).status).toBe(201);
    const { id, username: former } = own.member.account;
    await sms.dataSource.query("UPDATE accounts SET user_type = 'client', parent_id = ? WHERE id = ?", [
      seller.account.id,
      id,
    ]);
    const path = `/v6/api/admin/accounts/${former}`;
    await expect
      .poll(async () => (await made(`${path}/created`, bearer(seller.token))).users)
      .toMatchObject([{ kind: 'webhook' }]);
    const patch = { password: NEXT, revoke_users: true, revoke_created: true };
    expect((await ways.call('PATCH', path, bearer(seller.token), patch)).status).toBe(200);
    expect((await ways.logIn(username, PASSWORD)).status).toBe(200);
    expect(await statuses(own)).toEqual(['active', 'active', 'disabled']);
  });

  it('ends what a person made who is inactive already', async () => {
    const own = await holder();
    const path = `/v6/api/account/users/${own.person.id}`;
    expect((await ways.call('PATCH', path, bearer(own.member.token), { is_active: false })).status).toBe(200);
    expect((await change(own, { revoke_users: true, revoke_created: true })).status).toBe(200);
    expect(await statuses(own)).toEqual(['active', 'active', 'disabled']);
  });

  it('by staff ends it too, and shows staff the origins of webhooks alone', async () => {
    const seller = await sms.join(0, { userType: 'reseller' });
    const own = await holder('client', seller.account.id);
    const { username } = own.member.account;
    const path = `/v6/api/admin/accounts/${username}`;
    const thing = { kind: 'webhook', name: 'http://127.0.0.1:9', is_active: true };
    expect(await made(`${path}/created`, bearer(seller.token))).toEqual({
      api_keys: [{ ...thing, id: own.hooks.byKey }],
      users: [{ ...thing, id: own.hooks.byPerson }],
    });
    const body = { password: NEXT, revoke_api_keys: true, revoke_users: true, revoke_created: true };
    expect((await ways.call('PATCH', path, bearer(seller.token), body)).status).toBe(200);
    expect(await statuses(own)).toEqual(['active', 'disabled', 'disabled']);
    const log = await sms.dataSource.query<{ subject: string; account_id: number }[]>(
      "SELECT subject, account_id FROM audit_log WHERE action = 'webhook.change' AND actor_id = ? ORDER BY id",
      [seller.account.id],
    );
    expect(log.map(({ subject, account_id }) => [subject, Number(account_id)])).toEqual([
      [username, own.member.account.id],
      [username, own.member.account.id],
    ]);
  });

  it('lists what one key made to who revokes it for an account', async () => {
    const root = await sms.join(0, { userType: 'super' });
    const own = await holder();
    const path = `/v6/api/admin/accounts/${own.member.account.username}/api-keys/${own.key.id}`;
    const shown = await ways.call('GET', `${path}/created`, bearer(root.token));
    expect(dataOf(shown)).toEqual([
      { kind: 'webhook', id: own.hooks.byKey, name: 'http://127.0.0.1:9', is_active: true },
    ]);
    const stranger = await sms.join(0, { userType: 'reseller' });
    for (const [by, text] of [
      [stranger, 'Account not found'],
      [own.member, 'Forbidden'],
    ] as const) {
      const refused = await ways.call('GET', `${path}/created`, bearer(by.token));
      expect([refused.status < 500, refused.body['message']]).toEqual([true, text]);
    }
    const odd = await ways.call('GET', `${path.replace(/\d+$/, 'odd')}/created`, bearer(root.token));
    expect([odd.status, odd.body['message']]).toEqual([404, 'API key not found']);
    expect((await ways.call('DELETE', `${path}?revoke=true`, bearer(root.token))).status).toBe(200);
    expect(await statuses(own)).toEqual(['active', 'disabled', 'active']);
  });
});
