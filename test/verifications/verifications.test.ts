import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RecipientStatus } from '../../src/modules/engine/index.js';
import { dataOf, listOf } from '../support/campaigns.js';
import { until } from '../support/processes.js';
import type { Member } from '../support/sms.js';
import { NUMBER, openVerifications, PATH, type Verifications, wrong } from './support.js';

let api: Verifications;
let member: Member;

beforeAll(async () => {
  api = await openVerifications();
  member = await api.join(1_000);
});
afterAll(() => api.stop());

/** A number of a test's own. */
let last = 0;
const someone = (): string => `+9198${String(10_000_000 + last++)}`;

describe('a verification', () => {
  it('sends a code for the price of an SMS, and approves it once', async () => {
    const before = await api.credits(member);
    const to = someone();
    const made = await api.started(member, { to, ref: 'login-1', app: 'ACME' });
    expect(made).toMatchObject({
      status: 'pending',
      channel: 'sms',
      channels: ['sms'],
      to: to.slice(1),
      attempts_left: 5,
      sends: 1,
      credits: 1,
      ref: 'login-1',
      next_at: null,
    });
    expect(before - (await api.credits(member))).toBe(1);
    const message = dataOf(await api.get(`/v6/api/messages/${String(made['message_id'])}`, member));
    expect(message).toMatchObject({
      text: '****** is your ACME code. It expires in 10 minutes. Do not share it.',
      metadata: { verification_id: made['id'] },
    });
    const code = await api.codeOf(made['id']);
    expect(code).toMatch(/^\d{6}$/);
    expect(dataOf(await api.check(member, made['id'], wrong(code)))).toEqual({
      id: made['id'],
      status: 'pending',
      attempts_left: 4,
    });
    const approved = await api.check(member, made['id'], ` ${code.slice(0, 3)}-${code.slice(3)} `);
    expect(dataOf(approved)).toEqual({ id: made['id'], status: 'approved', attempts_left: 0 });
    expect(await api.check(member, made['id'], code)).toMatchObject({
      status: 409,
      body: { message: 'Verification is already approved', code: 'verification_ended' },
    });
    expect(dataOf(await api.shown(member, made['id']))).toMatchObject({ status: 'approved', attempts_left: 0 });
  });

  it.each([
    [{ channels: [] }, 'verification_channels'],
    [{ channels: ['sms', 'post'] }, 'verification_channels'],
    [{ channels: Array.from({ length: 6 }, () => 'sms') }, 'verification_channels'],
    [{ to: 'abc' }, 'to_invalid'],
    [{ length: 3 }, 'field_no_whole_number'],
    [{ length: 11 }, 'field_no_whole_number'],
    [{ ttl_s: 59 }, 'field_no_whole_number'],
    [{ ttl_s: 1_801 }, 'field_no_whole_number'],
    [{ locale: 'english!' }, 'field_invalid'],
    [{ template: 'unheard-of' }, 'verification_template'],
    [{ channels: ['chat'] }, 'field_required'],
    [{ app: 'http://evil.example' }, 'verification_app'],
    [{ ref: 'a\nb' }, 'verification_ref'],
    [{ client_ip: '1.2.3' }, 'field_invalid'],
    [{ sender_id: 'NOBODY' }, 'sender_not_approved'],
  ])('refuses %j and keeps nothing', async (body, code) => {
    const other = await api.join(10);
    const answer = await api.start(other, { to: someone(), ...body });
    expect(answer).toMatchObject({ status: 400, body: { code } });
    expect(listOf(await api.get(PATH, other))).toEqual([]);
    expect(await api.credits(other)).toBe(10);
  });

  it('has 4 to 10 digits, minutes and a text of its language', async () => {
    for (const length of [4, 10]) {
      const made = await api.started(member, { to: someone(), length, ttl_s: 61, locale: 'de-AT', app: 'ACME' });
      expect(await api.codeOf(made['id'])).toMatch(new RegExp(`^\\d{${length}}$`));
      const { text } = dataOf(await api.get(`/v6/api/messages/${String(made['message_id'])}`, member));
      expect(text).toBe(`${'*'.repeat(length)} ist Ihr Code für ACME. Er gilt 2 Minuten. Geben Sie ihn nicht weiter.`);
    }
  });

  it('without credits is 400, and leaves nothing', async () => {
    const poor = await api.join(0);
    const answer = await api.start(poor, { to: someone() });
    expect(answer).toMatchObject({ status: 400, body: { code: 'insufficient_credits' } });
    expect(listOf(await api.get(PATH, poor))).toEqual([]);
  });

  it('without a route is 503, at the start and as the next channel', async () => {
    expect((await api.start(await api.join({ voice_credits: 9 }), { to: someone(), channels: ['voice'] })).status).toBe(
      503,
    );
    const made = await api.started(member, { to: someone(), channels: ['sms', 'voice'] });
    expect((await api.next(member, made['id'])).status).toBe(503);
    expect(dataOf(await api.shown(member, made['id']))).toMatchObject({ channel: 'sms', sends: 1, status: 'pending' });
    const poor = await api.join(1);
    const last = await api.started(poor, { to: someone(), channels: ['sms', 'sms'] });
    expect((await api.next(poor, last['id'])).status).toBe(400);
  });

  it('is answered again to the same person within 30 seconds', async () => {
    const brazil = '+5511987654321';
    const made = await api.started(member, { to: brazil });
    const again = await api.start(member, { to: '+551187654321' });
    expect(again).toMatchObject({
      status: 201,
      body: { warnings: expect.arrayContaining([expect.objectContaining({ code: 'verification_open' })]) },
    });
    expect(dataOf(again)['id']).toBe(made['id']);
    expect(dataOf(again)['sends']).toBe(1);
    const many = await Promise.all(Array.from({ length: 30 }, () => api.start(member, { to: '+919800000042' })));
    expect(new Set(many.map((answer) => dataOf(answer)['id'])).size).toBe(1);
    const id = dataOf(many[0] as (typeof many)[0])['id'];
    await until('its message', async () => dataOf(await api.shown(member, id))['sends'] === 1);
  });

  it('after 30 seconds replaces the open one, whose wrong codes count on', async () => {
    const to = someone();
    const first = await api.started(member, { to });
    const code = await api.codeOf(first['id']);
    for (let tries = 0; tries < 3; tries++) await api.check(member, first['id'], wrong(code));
    await api.later(first['id'], 31);
    const second = await api.started(member, { to });
    expect(second['id']).not.toBe(first['id']);
    expect(second['attempts_left']).toBe(2);
    expect((await api.check(member, first['id'], code)).status).toBe(409);
    expect(dataOf(await api.check(member, second['id'], await api.codeOf(second['id'])))['status']).toBe('approved');
  });

  it('is cancelled, and a new one for the number keeps the wrong codes', async () => {
    const to = someone();
    const made = await api.started(member, { to });
    const code = await api.codeOf(made['id']);
    await api.check(member, made['id'], wrong(code));
    expect((await api.cancel(member, made['id'])).status).toBe(200);
    expect((await api.cancel(member, made['id'])).status).toBe(409);
    expect((await api.check(member, made['id'], code)).body['message']).toBe('Verification is already cancelled');
    expect((await api.next(member, made['id'])).status).toBe(409);
    const log = listOf(await api.get('/v6/api/account/log', member));
    expect(log).toContainEqual(expect.objectContaining({ action: 'verification.cancel' }));
    expect((await api.started(member, { to }))['attempts_left']).toBe(4);
  });

  it('expires at its end, and frees the number', async () => {
    const to = someone();
    const made = await api.started(member, { to, ttl_s: 60 });
    const code = await api.codeOf(made['id']);
    await api.later(made['id'], 60);
    expect(dataOf(await api.check(member, made['id'], code))).toMatchObject({ status: 'expired', attempts_left: 0 });
    await api.round();
    const [row] = await api.dataSource.query<Record<string, unknown>[]>('SELECT * FROM verifications WHERE id = ?', [
      api.numberOf(made['id']),
    ]);
    expect(row).toMatchObject({ status: 'expired', code_hash: null, code_sealed: null, open_key: null, look_at: null });
    expect((await api.started(member, { to }))['attempts_left']).toBe(5);
  });

  it('goes on to the next channel: on demand, at its time and after a failed message', async () => {
    const made = await api.started(member, { to: someone(), channels: ['sms', 'sms', 'sms', 'sms'] });
    expect(made['next_at']).toMatch(/^\d{4}-/);
    const code = await api.codeOf(made['id']);
    const second = dataOf(await api.next(member, made['id']));
    expect(second).toMatchObject({ sends: 2, credits: 2, status: 'pending' });
    await api.later(made['id'], 60);
    await api.round();
    // the leader task of the API may have taken it first
    const sends = async (): Promise<unknown> => dataOf(await api.shown(member, made['id']))['sends'];
    await until('the third message', async () => (await sends()) === 3);
    const third = dataOf(await api.shown(member, made['id']));
    const campaignId = Number(String(third['message_id']).split('_')[1]);
    await api.round();
    await api.dataSource.query('UPDATE campaign_recipients SET status = ? WHERE campaign_id = ?', [
      RecipientStatus.Failed,
      campaignId,
    ]);
    await api.later(made['id'], 4);
    await api.round();
    await until('the fourth message', async () => (await sends()) === 4);
    expect(dataOf(await api.shown(member, made['id']))).toMatchObject({ sends: 4, next_at: null });
    expect(await api.next(member, made['id'])).toMatchObject({ status: 409, body: { message: 'No further channel' } });
    expect(dataOf(await api.check(member, made['id'], code))['status']).toBe('approved');
  });

  it('does not go on for a key that is revoked, or an account that is closed', async () => {
    const owner = await api.join(10);
    const key = dataOf(await api.post('/v6/api/account/api-keys', owner, { name: 'app' }));
    const answer = await api.request(PATH, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': String(key['key'] ?? key['api_key']) },
      body: JSON.stringify({ to: someone(), channels: ['sms', 'sms'] }),
    });
    expect(answer.status).toBe(201);
    const { id } = dataOf(answer);
    await api.request(`/v6/api/account/api-keys/${String(key['id'])}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${owner.token}` },
    });
    await api.later(id, 60);
    await api.round();
    expect(dataOf(await api.shown(owner, id))['sends']).toBe(1);
  });

  it('is counted by day and country', async () => {
    const other = await api.join(10);
    const made = await api.started(other);
    await api.started(other, { to: '+4915112345678' });
    await api.check(other, made['id'], await api.codeOf(made['id']));
    const day = new Date().toISOString().slice(0, 10);
    const answer = await api.get(`${PATH}/conversion`, other);
    expect(answer.body['data']).toEqual([
      { day, calling_code: '49', started: 1, approved: 0 },
      { day, calling_code: '91', started: 1, approved: 1 },
    ]);
    expect((await api.get(`${PATH}/conversion?from=x`, other)).status).toBe(400);
    expect((await api.get(`${PATH}/conversion?to=2020-01-01`, other)).body['data']).toEqual([]);
  });

  it('tells the account’s endpoints how it ended', async () => {
    const owner = await api.join(10);
    const types = ['verification.approved', 'verification.failed', 'verification.expired'];
    const hook = await api.hook(owner, types);
    await api.worker();
    const [one, two, three] = await Promise.all([1, 2, 3].map(() => api.started(owner, { to: someone(), ref: 'r' })));
    if (!one || !two || !three) throw new Error('three were started');
    const code = await api.codeOf(two['id']);
    await api.check(owner, one['id'], await api.codeOf(one['id']));
    for (let tries = 0; tries < 5; tries++) await api.check(owner, two['id'], wrong(code));
    await api.later(three['id'], 600);
    await api.round();
    await until('three events', () => Promise.resolve(api.receiver.to(hook.path).length === 3));
    expect(
      api.receiver
        .to(hook.path)
        .map(({ body: { event, id, ref, channel } }) => [event, id, ref, channel])
        .sort(),
    ).toEqual(
      [
        ['verification.approved', one['id'], 'r', 'sms'],
        ['verification.failed', two['id'], 'r', 'sms'],
        ['verification.expired', three['id'], 'r', 'sms'],
      ].sort(),
    );
  });

  it('is of its account alone', async () => {
    const stranger = await api.join(10);
    const made = await api.started(member, { to: someone() });
    const code = await api.codeOf(made['id']);
    for (const id of [made['id'], 'ver_1', 'ver_x', '1']) {
      const answers = [
        await api.shown(stranger, id),
        await api.check(stranger, id, code),
        await api.next(stranger, id),
        await api.cancel(stranger, id),
      ];
      for (const answer of answers)
        expect(answer).toMatchObject({ status: 404, body: { message: 'Verification not found' } });
    }
    expect(dataOf(await api.shown(member, made['id']))).toMatchObject({ status: 'pending', attempts_left: 5 });
    expect((await api.check(member, made['id'], 'abc')).body['code']).toBe('verification_code');
  });
});

describe('feedback on own codes', () => {
  it('names a message or a number, and an outcome', async () => {
    const give = (body: object): ReturnType<Verifications['post']> => api.post('/v6/api/feedback', member, body);
    const made = await api.started(member, { to: someone() });
    for (const outcome of ['converted', 'not_converted']) {
      expect((await give({ message_id: made['message_id'], outcome })).status).toBe(200);
      expect((await give({ number: someone(), outcome })).status).toBe(200);
    }
    expect((await give({ outcome: 'converted' })).body['code']).toBe('feedback_subject');
    expect((await give({ number: '+919812345678', message_id: 'out_1_1', outcome: 'converted' })).status).toBe(400);
    expect((await give({ number: '+919812345678' })).body['code']).toBe('field_no_word');
    expect((await give({ message_id: 'out_1_1', outcome: 'converted' })).status).toBe(404);
  });
});

describe('the texts of staff', () => {
  it('are put by name and locale, named by accounts, and fall back to English', async () => {
    const admin = await api.join(0, { userType: 'super' });
    const put = (path: string, text: unknown, who = admin): ReturnType<Verifications['request']> =>
      api.request(`/v6/api/admin/verification-texts/${path}`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${who.token}` },
        body: JSON.stringify({ text }),
      });
    for (const text of ['no code', '{code} {code}', '{code} {name}', '', `{code}${'x'.repeat(160)}`, '{code}\n', 5])
      expect(await put('bank/en', text)).toMatchObject({ status: 400, body: { code: 'verification_text' } });
    expect((await put('BANK/en', '{code}')).status).toBe(400);
    expect((await put('bank/e', '{code}')).status).toBe(400);
    expect((await put('bank/en', 'x {code}', member)).status).toBe(403);
    expect((await put('bank/en', '{app}: your code {code}')).status).toBe(200);
    expect((await put('bank/pt-BR', '{app}: o seu código {code}')).status).toBe(200);
    const textOf = async (locale: string): Promise<unknown> => {
      const made = await api.started(member, { to: someone(), template: 'bank', locale, app: 'ACME' });
      return dataOf(await api.get(`/v6/api/messages/${String(made['message_id'])}`, member))['text'];
    };
    expect(await textOf('pt-br')).toBe('ACME: o seu código ******');
    expect(await textOf('fr')).toBe('ACME: your code ******');
    const texts = listOf(await api.get(`${PATH}/texts`, member));
    expect(texts).toContainEqual({ name: 'bank', locale: 'en', text: '{app}: your code {code}' });
    expect(texts).toContainEqual(expect.objectContaining({ name: 'default', locale: 'es' }));
    expect(listOf(await api.get('/v6/api/admin/verification-texts', admin))).toEqual(texts);
    const remove = (): ReturnType<Verifications['request']> =>
      api.request('/v6/api/admin/verification-texts/bank/en', {
        method: 'DELETE',
        headers: { authorization: `Bearer ${admin.token}` },
      });
    expect((await remove()).status).toBe(200);
    expect((await remove()).status).toBe(404);
  });
});

it('has a default for a body that names a number alone', async () => {
  const made = await api.started(await api.join(5), { to: `+${NUMBER}` });
  expect(made).toMatchObject({ channels: ['sms'], attempts_left: 5 });
});
