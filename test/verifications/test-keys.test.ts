import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RecipientStatus } from '../../src/modules/engine/index.js';
import { dataOf, type Json, listOf } from '../support/campaigns.js';
import { until } from '../support/processes.js';
import type { Answer, Member } from '../support/sms.js';
import { NUMBER, openVerifications, PATH, type Verifications, wrong } from './support.js';

/** What a test must leave as it was. */
const LIVE = ['credit_balances', 'credit_ledger', 'usage_counters', 'account_freezes', 'account_quotas'];

let api: Verifications;
let owner: Member;
let testKey: string;

const keyed = (path: string, method: string, body?: object, key = testKey): Promise<Answer> =>
  api.request(path, {
    method,
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
const start = (body: object): Promise<Answer> => keyed(PATH, 'POST', body);
const check = (id: unknown, code: unknown): Promise<Answer> => keyed(`${PATH}/${String(id)}/check`, 'POST', { code });

async function started(body: object = {}): Promise<Json> {
  const answer = await start({ to: `+${NUMBER}`, ...body });
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return dataOf(answer);
}

const rows = async (): Promise<string[]> =>
  Promise.all(LIVE.map(async (table) => JSON.stringify(await api.dataSource.query(`SELECT * FROM ${table}`))));

beforeAll(async () => {
  api = await openVerifications({
    VERIFICATIONS_PER_NUMBER: 2,
    VERIFICATIONS_PER_DAY: 12,
    OUTBOUND_ALLOW: '127.0.0.0/8',
  });
  owner = await api.join(100);
  const made = await api.post('/v6/api/account/api-keys', owner, { name: 'try', mode: 'test' });
  testKey = String(dataOf(made)['key']);
});
afterAll(() => api.stop());

describe('a verification with a test key', () => {
  it('shows its code, is approved by it, and costs and counts nothing', async () => {
    const before = await rows();
    const made = await started({ ref: 'try-1' });
    expect(made).toMatchObject({ test: true, status: 'pending', sends: 1, credits: 1, ref: 'try-1' });
    const code = String(made['test_code']);
    expect(code).toMatch(/^\d{6}$/);
    expect(code).toBe(await api.codeOf(made['id']));
    expect(dataOf(await check(made['id'], wrong(code)))).toMatchObject({ status: 'pending', attempts_left: 4 });
    expect(dataOf(await check(made['id'], code))).toMatchObject({ status: 'approved' });
    const shown = dataOf(await keyed(`${PATH}/${String(made['id'])}`, 'GET'));
    expect(shown).toMatchObject({ status: 'approved', test: true });
    expect(shown).not.toHaveProperty('test_code');
    expect(await rows()).toEqual(before);
    const conversion = await api.get(`${PATH}/conversion`, owner);
    expect(conversion.body['data']).toEqual([]);
    const feedback = { message_id: made['message_id'], outcome: 'converted' };
    expect((await api.post('/v6/api/feedback', owner, feedback)).status).toBe(200);
    expect((await keyed('/v6/api/feedback', 'POST', feedback)).status).toBe(403);
    const [campaign] = await api.dataSource.query<{ is_test: number }[]>('SELECT is_test FROM campaigns WHERE id = ?', [
      Number(String(made['message_id']).split('_')[1]),
    ]);
    expect(campaign).toEqual({ is_test: 1 });
  });

  it('is apart from live ones: their number, their limits, their lists', async () => {
    const to = '+919811112222';
    const live = await api.started(owner, { to });
    expect(live).toMatchObject({ test: false });
    expect(live).not.toHaveProperty('test_code');
    const made = await started({ to });
    expect(made['id']).not.toBe(live['id']);
    await api.later(made['id'], 31);
    await started({ to });
    expect((await start({ to: '+919811112223' })).status).toBe(201);
    const listed = (answer: Answer): unknown[] => listOf(answer).map(({ id }) => id);
    expect(listed(await api.get(PATH, owner))).toEqual([live['id']]);
    expect(listed(await api.get(`${PATH}?test=true`, owner))).toContain(made['id']);
    const own = listOf(await keyed(PATH, 'GET'));
    expect(own.length).toBeGreaterThan(2);
    expect(own.every(({ test }) => test === true)).toBe(true);
    await api.later(live['id'], 31);
    expect((await api.start(owner, { to })).status).toBe(201);
  });

  it('has limits of its own', async () => {
    const made = await started({ to: '+919811113333', channels: ['sms', 'sms', 'sms'] });
    expect((await keyed(`${PATH}/${String(made['id'])}/next`, 'POST')).status).toBe(200);
    expect((await keyed(`${PATH}/${String(made['id'])}/next`, 'POST')).body['code']).toBe('verification_limit');
  });

  it('reaches no live one, and is found by logins', async () => {
    const live = await api.started(owner, { to: '+919811114444', channels: ['sms', 'sms'] });
    const path = `${PATH}/${String(live['id'])}`;
    const answers = [
      await keyed(path, 'GET'),
      await keyed(`${path}/check`, 'POST', { code: '123456' }),
      await keyed(`${path}/next`, 'POST'),
      await keyed(path, 'DELETE'),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
    const made = await started({ to: '+919811115555' });
    expect(dataOf(await api.shown(owner, made['id']))).toMatchObject({ test: true });
  });

  it('goes on to the next channel as a test, by itself and for a login, and says so in its event', async () => {
    const before = await api.credits(owner);
    const hook = await api.hook(owner, ['verification.approved']);
    await api.worker();
    const made = await started({ to: '+919811116404', channels: ['sms', 'sms', 'sms'] });
    expect((await api.next(owner, made['id'])).status).toBe(200);
    expect(await api.credits(owner)).toBe(before);
    const other = await started({ to: '+919811117404', channels: ['sms', 'sms'] });
    await api.dataSource.query('UPDATE campaign_recipients SET status = ? WHERE campaign_id = ?', [
      RecipientStatus.Failed,
      Number(String(other['message_id']).split('_')[1]),
    ]);
    await api.later(other['id'], 4);
    await api.round();
    const sends = async (): Promise<unknown> => dataOf(await api.shown(owner, other['id']))['sends'];
    await until('the second message', async () => (await sends()) === 2);
    expect(await api.credits(owner)).toBe(before);
    expect(dataOf(await check(other['id'], other['test_code']))).toMatchObject({ status: 'approved' });
    const [event] = await api.received(hook, 1);
    expect(event?.body).toMatchObject({ event: 'verification.approved', id: other['id'], test: true });
  });
});
