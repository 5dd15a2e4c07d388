import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, expectRefused, type Member, PASSWORD, openSms, type Sms } from '../support/sms.js';

const NO_TOKEN = 'Invalid Authorization token';
const NEXT = 'Rainy-Day-8';
const BODY = { broadcast_name: 'Spring', brodcast_service: 'main', message: 'Hello', contacts: ['919812345678'] };

let sms: Sms;
let root: Member;

beforeAll(async () => {
  sms = await openSms({ LOGIN_FAILURE_LIMIT: 4, TRUST_PROXY: '1' });
  root = await sms.join(100, { userType: 'super' });
});
afterAll(() => sms.stop());

const bearer = ({ token }: Member): Record<string, string> => ({ authorization: `Bearer ${token}` });
const send = (method: string, path: string, headers: Record<string, string>, body?: unknown): Promise<Answer> =>
  sms.request(path, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
/** The header of a new key of somebody. */
const keyOf = async (member: Member): Promise<Record<string, string>> => {
  const { body } = await sms.post('/v6/api/account/api-keys', member, { current_password: PASSWORD });
  return { 'x-api-key': String((body['data'] as Record<string, unknown>)['key']) };
};
let count = 0;
const person = () => ({
  username: `taker${++count}`,
  password: PASSWORD,
  firstname: 'Ann',
  lastname: 'Other',
  current_password: PASSWORD,
});
const login = (name: string, password: string, ip = `10.50.0.${++count}`): Promise<Answer> =>
  send('POST', '/v1/auth/login', { 'x-forwarded-for': ip }, { email_or_username: name, password });

describe('an API key', () => {
  it('reaches no users, password or keys route, neither of staff nor of a client', async () => {
    for (const member of [root, await sms.join()]) {
      const key = await keyOf(member);
      const made = await sms.post('/v6/api/account/users', member, person());
      const { id } = made.body['data'] as { id: number };
      const tries: [string, string, unknown?][] = [
        ['POST', '/v6/api/account/users', person()],
        ['GET', '/v6/api/account/users'],
        ['GET', `/v6/api/account/users/${id}`],
        ['PATCH', `/v6/api/account/users/${id}`, { password: NEXT }],
        ['DELETE', `/v6/api/account/users/${id}`],
        ['PUT', '/v6/api/account/password', { current: PASSWORD, new: NEXT }],
        ['POST', '/v6/api/account/api-keys', {}],
        ['GET', '/v6/api/account/api-keys'],
        ['DELETE', '/v6/api/account/api-keys/1'],
        ['GET', '/v6/api/admin/accounts'],
      ];
      for (const [method, path, body] of tries) expectRefused(await send(method, path, key, body), 401, NO_TOKEN);
      expect((await send('GET', '/v6/api/account/credits', key)).status).toBe(200);
      expect((await send('GET', `/v6/api/account/users/${id}`, bearer(member))).status).toBe(200);
    }
  });

  it('of staff makes no person who makes a super account', async () => {
    const draft = person();
    await send('POST', '/v6/api/account/users', await keyOf(root), draft);
    expectRefused(await login(draft.username, PASSWORD), 401, 'Invalid credentials');
  });

  it('of staff acts on their own account only, where their token acts on everybody’s', async () => {
    const client = await sms.join(10);
    for (const userType of ['super', 'admin']) {
      const staff = await sms.join(10, { userType });
      const key = await keyOf(staff);
      const theirs = String((await sms.broadcast(client, BODY)).body['request_id']);
      const own = String((await send('POST', '/webhook/api/addbroadcastgsm.php', key, BODY)).body['request_id']);
      const reading = ['', '/contacts', '/contacts/1/timeline', '/export.csv', '/events'];
      for (const path of reading) {
        expectRefused(await send('GET', `/v6/api/campaigns/${theirs}${path}`, key), 404, 'Campaign not found');
      }
      for (const action of ['pause', 'resume', 'cancel', 'retry-failed']) {
        const path = `/v6/api/campaigns/${theirs}/${action}`;
        expectRefused(await send('POST', path, key), 404, 'Campaign not found');
      }
      expectRefused(await send('GET', `/v6/api/voice/report?request_id=${theirs}`, key), 404, 'Report not found');
      expect((await send('GET', `/v6/api/campaigns/${theirs}`, bearer(staff))).status).toBe(200);
      expect((await send('GET', `/v6/api/campaigns/${own}`, key)).status).toBe(200);
      expect((await send('POST', `/v6/api/campaigns/${own}/cancel`, key)).status).toBe(200);
    }
  });
});

describe('a change of an account of staff', () => {
  const ACCOUNTS = '/v6/api/admin/accounts';
  let ips = 0;
  const patch = (actor: Member | string, target: Member, body: unknown, ip = `10.51.0.${++ips}`): Promise<Answer> => {
    const token = typeof actor === 'string' ? actor : actor.token;
    const headers = { authorization: `Bearer ${token}`, 'x-forwarded-for': ip };
    return send('PATCH', `${ACCOUNTS}/${target.account.username}`, headers, body);
  };

  it('wants the password of who changes it, whatever is changed, his own account too', async () => {
    const other = await sms.join(0, { userType: 'super' });
    const actor = await sms.join(0, { userType: 'super' });
    const all = [{ password: NEXT }, { user_type: 'client' }, { is_active: false }, { require_token: true }, {}];
    for (const change of all) {
      for (const current_password of [undefined, null, '', ' ']) {
        const refused = await patch(actor, other, { ...change, current_password });
        expectRefused(refused, 400, 'current_password is required');
      }
      const refused = await patch(actor, other, { ...change, current_password: NEXT });
      expectRefused(refused, 401, 'Invalid credentials');
    }
    expectRefused(await patch(actor, actor, { password: NEXT }), 400, 'current_password is required');
    expect((await login(other.account.username, PASSWORD)).status).toBe(200);
    expect((await patch(actor, other, { password: NEXT, current_password: PASSWORD })).status).toBe(200);
    expect((await login(other.account.username, NEXT)).status).toBe(200);
    for (const user_type of ['admin', 'reseller', 'client']) {
      expectRefused(await patch(actor, other, { user_type }), 400, 'current_password is required');
      expect((await patch(actor, other, { user_type, current_password: PASSWORD })).status).toBe(200);
    }
    expect((await patch(actor, other, { require_token: true })).status).toBe(200); // no staff any more
  });

  it('counts wrong ones as login does', async () => {
    const other = await sms.join(0, { userType: 'super' });
    const actor = await sms.join(0, { userType: 'super' });
    const guess = (ip?: string): Promise<Answer> => patch(actor, other, { current_password: NEXT }, ip);
    for (let i = 0; i < 4; i++) expectRefused(await guess('10.52.0.1'), 401, 'Invalid credentials');
    expectRefused(await guess('10.52.0.1'), 429, 'Too many requests. Please try again later.');
    expectRefused(
      await login(actor.account.username, PASSWORD, '10.52.0.1'),
      429,
      'Too many requests. Please try again later.',
    );
  });

  it('wants that of the person who acts, and a person is made with the password of the account', async () => {
    const other = await sms.join(0, { userType: 'super' });
    const draft = { ...person(), password: NEXT };
    for (const [current_password, status, text] of [
      [undefined, 400, 'current_password is required'],
      [NEXT, 401, 'Invalid credentials'],
    ] as const)
      expectRefused(await sms.post('/v6/api/account/users', root, { ...draft, current_password }), status, text);
    const made = await sms.post('/v6/api/account/users', root, draft);
    expect(made.status).toBe(201);
    const { id } = made.body['data'] as { id: number };
    const change = (body: unknown) => send('PATCH', `/v6/api/account/users/${id}`, bearer(root), body);
    expectRefused(await change({ password: PASSWORD }), 400, 'current_password is required');
    expectRefused(await change({ is_active: true, current_password: NEXT }), 401, 'Invalid credentials');
    expect((await change({ firstname: 'Anna', current_password: PASSWORD })).status).toBe(200);
    const token = String((await login(draft.username, NEXT)).body['token']);
    expectRefused(await patch(token, other, { require_token: true }), 400, 'current_password is required');
    expectRefused(await patch(token, other, { current_password: PASSWORD }), 401, 'Invalid credentials');
    expect((await patch(token, other, { require_token: true, current_password: NEXT })).status).toBe(200);
    const admin = await sms.join(0, { userType: 'admin' });
    expectRefused(await patch(admin, other, { password: NEXT, current_password: PASSWORD }), 403, 'Forbidden');
    const client = await sms.join(0);
    expect((await patch(root, client, { password: NEXT })).status).toBe(200);
  });

  it('so are the keys and people of admins and resellers, and those of clients are not', async () => {
    for (const userType of ['admin', 'reseller']) {
      const staff = await sms.join(0, { userType });
      const { current_password: _, ...draft } = person();
      expectRefused(await sms.post('/v6/api/account/users', staff, draft), 400, 'current_password is required');
      expectRefused(await sms.post('/v6/api/account/api-keys', staff, {}), 400, 'current_password is required');
      const wrong = { name: 'k', current_password: NEXT };
      expectRefused(await sms.post('/v6/api/account/api-keys', staff, wrong), 401, 'Invalid credentials');
      expect((await sms.post('/v6/api/account/api-keys', staff, { current_password: PASSWORD })).status).toBe(201);
    }
    const client = await sms.join(0);
    const { current_password: _, ...draft } = person();
    expect((await sms.post('/v6/api/account/users', client, draft)).status).toBe(201);
    expect((await sms.post('/v6/api/account/api-keys', client, {})).status).toBe(201);
  });

  it('and one more of them, made or promoted, want it too', async () => {
    const actor = await sms.join(0, { userType: 'super' });
    const client = await sms.join(0);
    const create = (fields: Record<string, unknown>, ip = `10.53.0.${++ips}`): Promise<Answer> =>
      send('POST', ACCOUNTS, { ...bearer(actor), 'x-forwarded-for': ip }, { ...person(), ...fields });
    const promote = (current_password?: string): Promise<Answer> =>
      patch(actor, client, { user_type: 'super', current_password });
    for (const make of [
      (password?: string) => create({ user_type: 'super', current_password: password ?? null }),
      promote,
    ]) {
      expectRefused(await make(), 400, 'current_password is required');
      expectRefused(await make(NEXT), 401, 'Invalid credentials');
      expect((await make(PASSWORD)).status).toBeLessThan(300);
    }
    for (const user_type of ['admin', 'reseller']) {
      expectRefused(await create({ user_type, current_password: null }), 400, 'current_password is required');
      expect((await create({ user_type, current_password: PASSWORD })).status).toBe(201);
    }
    const guess = { user_type: 'super', current_password: NEXT };
    for (let i = 0; i < 4; i++) expectRefused(await create(guess, '10.54.0.1'), 401, 'Invalid credentials');
    expectRefused(await create(guess, '10.54.0.1'), 429, 'Too many requests. Please try again later.');
    expect((await create({ user_type: 'client' }, '10.54.0.1')).status).toBe(201);
  });
});
