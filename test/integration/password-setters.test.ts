import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSms, type Answer, type Member, PASSWORD, type Sms } from '../support/sms.js';

const USERS = '/v6/api/account/users';
const KEYS = '/v6/api/account/api-keys';

let sms: Sms;
let names = 0;

/** One way into an account. */
interface Way {
  headers: Record<string, string>;
  id: number;
}

beforeAll(async () => {
  sms = await openSms({ TRUST_PROXY: '1' });
});
afterAll(() => sms.stop());

const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });
const call = (method: string, path: string, headers: Record<string, string>, body?: unknown): Promise<Answer> =>
  sms.request(path, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
const dataOf = <Data = Record<string, unknown>>({ body }: Answer): Data => {
  expect(body, JSON.stringify(body)).toHaveProperty('data');
  return body['data'] as Data;
};
const get = async (path: string, by: Member): Promise<Record<string, unknown>[]> =>
  dataOf<Record<string, unknown>[]>(await call('GET', path, bearer(by.token)));

/** A person under an account, logged in. */
async function person(of: Member, password = PASSWORD): Promise<Way> {
  const username = `setter.person${++names}`;
  const draft = { username, password, firstname: 'Ann', lastname: 'Other', current_password: PASSWORD };
  const { id } = dataOf<{ id: number }>(await call('POST', USERS, bearer(of.token), draft));
  const login = await call('POST', '/v1/auth/login', {}, { email_or_username: username, password });
  return { headers: bearer(String(login.body['token'])), id };
}

async function key(of: Member): Promise<Way> {
  const name = `maker key ${++names}`;
  const body = { name, current_password: PASSWORD };
  const made = dataOf<{ id: number; key: string }>(await call('POST', KEYS, bearer(of.token), body));
  return { headers: { 'x-api-key': made.key }, id: made.id };
}

/** Who set the password of an account of staff may know it (reference/accounts#makers). */
describe('a password that a person set for an account of staff', () => {
  const logIn = async (username: string, password: string): Promise<Answer> =>
    call('POST', '/v1/auth/login', {}, { email_or_username: username, password });
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
});
