import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSms, PASSWORD, type Member, type Sms } from '../support/sms.js';
import { bearer, dataOf, USERS, waysOf } from '../support/ways.js';

let sms: Sms;
let ways: ReturnType<typeof waysOf>;
let names = 0;

beforeAll(async () => {
  sms = await openSms({ TRUST_PROXY: '1', OUTBOUND_ALLOW: '127.0.0.0/8' });
  ways = waysOf(sms);
});
afterAll(() => sms.stop());

const call = (...parameters: Parameters<typeof ways.call>) => ways.call(...parameters);
const get = (path: string, by: Member) => ways.get(path, by);
const person = (...parameters: Parameters<typeof ways.person>) => ways.person(...parameters);
const key = (of: Member) => ways.key(of);

/** Who set the password of an account of staff may know it (reference/accounts#makers). */
describe('a password that a person set for an account of staff', () => {
  const logIn = (username: string, password: string) => ways.logIn(username, password);
  const setPassword = (username: string, headers: Record<string, string>, password: string, proof: string) =>
    call('PATCH', `/v6/api/admin/accounts/${username}`, headers, { password, current_password: proof });

  it('ends with the person, and so does what was granted since', async () => {
    const boss = await sms.join(0, { userType: 'super' });
    const thief = await person(boss, 'Rainy-Day-8');
    const admin = await sms.join(0, { userType: 'super' });
    const untouched = await sms.join(0, { userType: 'admin' });
    const earlier = await person(admin);
    const earlierKey = await key(admin);
    const { username } = admin.account;
    expect((await setPassword(username, thief.headers, 'Stolen-Day-9', 'Rainy-Day-8')).status).toBe(200);
    const stolen = String((await logIn(username, 'Stolen-Day-9')).body['token']);
    // an own change keeps who set the one before
    const own = { current: 'Stolen-Day-9', new: PASSWORD };
    expect((await call('PUT', '/v6/api/account/password', bearer(stolen), own)).status).toBe(200);
    const again = { ...admin, token: String((await logIn(username, PASSWORD)).body['token']) };
    const [later, laterKey] = [await person(again), await key(again)];
    const [hook, earlierHook] = [await ways.hook(laterKey), await ways.hook(earlierKey)];
    const second = `setter.made${++names}`;
    const draft = { username: second, password: PASSWORD, firstname: 'A', lastname: 'B', user_type: 'admin' };
    const made = await call('POST', '/v6/api/admin/accounts', later.headers, { ...draft, current_password: PASSWORD });
    expect(made.status, JSON.stringify(made.body)).toBe(201);

    expect(await get(`${USERS}/${thief.id}/created`, boss)).toEqual([
      { kind: 'password', id: admin.account.id, name: username, is_active: true },
      { kind: 'account', id: expect.any(Number) as number, name: second, is_active: true },
    ]);
    const path = `${USERS}/${thief.id}?revoke=true`;
    const removed = await call('DELETE', path, bearer(boss.token), { current_password: PASSWORD });
    expect(removed.status, JSON.stringify(removed.body)).toBe(200);
    expect((await logIn(username, PASSWORD)).body).toMatchObject({ message: 'Invalid credentials' });
    const status = async (headers: Record<string, string>) =>
      (await call('GET', '/v6/api/account/credits', headers)).status;
    expect(await status(bearer(again.token))).toBe(401);
    expect([await status(later.headers), await status(laterKey.headers)]).toEqual([401, 401]);
    expect([await status(earlier.headers), await status(earlierKey.headers)]).toEqual([200, 200]);
    expect((await logIn(second, PASSWORD)).status).toBe(401);
    const hooks: { id: number; status: string }[] = await sms.dataSource.query(
      'SELECT id, status FROM webhook_endpoints WHERE id IN (?) ORDER BY id',
      [[hook, earlierHook]],
    );
    expect(hooks.map(({ status: word }) => word)).toEqual(['disabled', 'active']);
    expect((await logIn(untouched.account.username, PASSWORD)).status).toBe(200);
    const [entry] = dataOf<Record<string, unknown>[]>(
      await call('GET', `/v6/api/admin/audit?subject=${username}&limit=100`, bearer(boss.token)),
    ).filter(({ details }) => (details as Record<string, unknown>)['password'] === 'ended');
    expect(entry).toMatchObject({ action: 'account.change', subject: username });

    expect((await setPassword(username, bearer(boss.token), 'Fresh-Day-10', PASSWORD)).status).toBe(200);
    expect((await logIn(username, 'Fresh-Day-10')).status).toBe(200);
  });

  it('counts no longer when other staff set another, and stays without revoke', async () => {
    const boss = await sms.join(0, { userType: 'super' });
    const [first, second] = [await person(boss, 'Rainy-Day-8'), await person(boss, 'Rainy-Day-8')];
    const admin = (await sms.join(0, { userType: 'admin' })).account;
    const client = (await sms.join(0)).account;
    for (const { headers } of [first, second])
      for (const { username } of [admin, client])
        expect((await setPassword(username, headers, 'Stolen-Day-9', 'Rainy-Day-8')).status).toBe(200);
    expect(await get(`${USERS}/${first.id}/created`, boss)).toEqual([]);
    expect(await get(`${USERS}/${second.id}/created`, boss)).toMatchObject([{ kind: 'password', id: admin.id }]);
    expect((await call('DELETE', `${USERS}/${second.id}`, bearer(boss.token))).status).toBe(200);
    expect((await logIn(admin.username, 'Stolen-Day-9')).status).toBe(200);
  });

  it('is never that of the account for which the person acts', async () => {
    const boss = await sms.join(0, { userType: 'super' });
    const thief = await person(boss, 'Rainy-Day-8');
    const refused = await setPassword(boss.account.username, thief.headers, 'Stolen-Day-9', 'Rainy-Day-8');
    expect([refused.status, refused.body['message']]).toEqual([403, 'Permission denied']);
    expect((await logIn(boss.account.username, PASSWORD)).status).toBe(200);
  });

  it('is that of who made the account, when another gives it the right', async () => {
    const boss = await sms.join(0, { userType: 'super' });
    const [maker, promoter] = [await person(boss, 'Rainy-Day-8'), await person(boss, 'Rainy-Day-8')];
    const username = `setter.made${++names}`;
    const draft = { username, password: 'Chosen-Day-9', firstname: 'A', lastname: 'B' };
    const { id } = dataOf<{ id: number }>(await call('POST', '/v6/api/admin/accounts', maker.headers, draft));
    expect(await get(`${USERS}/${maker.id}/created`, boss)).toEqual([]);
    const path = `/v6/api/admin/accounts/${username}`;
    for (const user_type of ['admin', 'super']) {
      const promotion = { user_type, current_password: 'Rainy-Day-8' };
      expect((await call('PATCH', path, promoter.headers, promotion)).status).toBe(200);
      expect(await get(`${USERS}/${promoter.id}/created`, boss)).toMatchObject([{ kind: 'account', id }]);
      expect(await get(`${USERS}/${maker.id}/created`, boss)).toMatchObject([{ kind: 'password', id }]);
    }
    const removal = { current_password: PASSWORD };
    const removed = await call('DELETE', `${USERS}/${maker.id}?revoke=true`, bearer(boss.token), removal);
    expect(removed.status, JSON.stringify(removed.body)).toBe(200);
    expect((await logIn(username, 'Chosen-Day-9')).body).toMatchObject({ message: 'Invalid credentials' });
    expect(dataOf(await call('GET', path, bearer(boss.token)))).toMatchObject({ is_active: true });
  });

  it('stays the owner’s own where nobody else chose one', async () => {
    const boss = await sms.join(0, { userType: 'super' });
    const promoter = await person(boss, 'Rainy-Day-8');
    const self = await sms.join(0);
    const path = `/v6/api/admin/accounts/${self.account.username}`;
    const promotion = { user_type: 'admin', current_password: 'Rainy-Day-8' };
    expect((await call('PATCH', path, promoter.headers, promotion)).status).toBe(200);
    const [row]: { by: string | null }[] = await sms.dataSource.query(
      'SELECT password_set_by AS `by` FROM accounts WHERE id = ?',
      [self.account.id],
    );
    expect(row?.by).toBeNull();
  });
});
