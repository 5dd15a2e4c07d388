import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, type Member, PASSWORD, openSms, type Sms } from '../support/sms.js';

let sms: Sms;
let member: Member;

beforeAll(async () => {
  sms = await openSms({ LOGIN_FAILURE_LIMIT: 0, IP_FAILURE_LIMIT: 0 });
  member = await sms.join();
});
afterAll(() => sms.stop());

const query = (change: Record<string, string> = {}, who: Member = member): Record<string, string> => ({
  username: who.account.username,
  password: PASSWORD,
  message: 'Hello',
  number: '919812345678',
  ...change,
});

function expectRefused(answer: Answer, status: number, message: string): void {
  expect(answer.body).toMatchObject({ status: 'error', textsent: 'error', message });
  expect(answer.status).toBe(status);
}

describe('the simple HTTP send', () => {
  it('answers in the v5 shape, charges, and is not to be stored', async () => {
    const sender = await sms.join(5);
    const answer = await sms.smsGet(query({ number: '+91 98123 45678', message: 'я'.repeat(71) }, sender));
    expect(answer.body).toEqual({
      status: 'ok',
      textsent: 'ok',
      message: 'Success',
      request_id: expect.stringMatching(/^GSMCAMP_\d{8}_[A-Z0-9]{6}$/) as unknown,
      Credits: 2,
    });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(await sms.credits(sender)).toBe(3);
  });

  it('takes an id of the caller, once', async () => {
    const sender = await sms.join(5);
    const own = query({ providermessageid: `get.${sender.account.id}` }, sender);
    const first = await sms.smsGet(own);
    expect([first.status, first.body['request_id']]).toEqual([200, `get.${sender.account.id}`]);
    expect((await sms.smsGet(own)).body).toEqual(first.body);
    expectRefused(await sms.smsGet({ ...own, message: 'Other' }), 409, 'request_id already exists');
    expect(await sms.credits(sender)).toBe(4);
  });

  it.each(['username', 'password', 'message', 'number'])('%s is required, once', async (name) => {
    const text = 'username, password, message, and number are required';
    expectRefused(await sms.smsGet(query({ [name]: '' })), 400, text);
    expectRefused(await sms.smsGet(query({ [name]: '  ' })), 400, text);
    const twice = new URLSearchParams(query());
    twice.append(name, 'x');
    expectRefused(await sms.request(`/v5/api/sms_get.php?${twice.toString()}`), 400, text);
  });

  it('checks the password first, then the state of the account, as at login', async () => {
    expectRefused(await sms.smsGet(query({ password: 'wrong' })), 401, 'Invalid credentials');
    expectRefused(await sms.smsGet(query({ username: 'nobody-here' })), 401, 'Invalid credentials');
    expectRefused(
      await sms.smsGet(query({ username: member.account.username.toUpperCase() })),
      401,
      'Invalid credentials',
    );
    const closed = await sms.join(5, { isActive: false });
    expectRefused(await sms.smsGet(query({ password: 'wrong' }, closed)), 401, 'Invalid credentials');
    expectRefused(await sms.smsGet(query({}, closed)), 401, 'Account is inactive');
  });

  it('forgets a remembered password as soon as the account is closed or expired', async () => {
    const sender = await sms.join(5);
    expect((await sms.smsGet(query({}, sender))).status).toBe(200);
    await sms.alter(sender, 'expires_at', new Date('2020-01-01T00:00:00Z'));
    expectRefused(await sms.smsGet(query({}, sender)), 401, 'Account expired. Please contact your administrator.');
    await sms.alter(sender, 'is_active', 0);
    expectRefused(await sms.smsGet(query({}, sender)), 401, 'Account is inactive');
  });

  it('forgets a remembered password when it was changed', async () => {
    const sender = await sms.join(5);
    expect((await sms.smsGet(query({}, sender))).status).toBe(200);
    await sms.alter(sender, 'password_hash', '$2b$10$UjpiZuO/pBr1jJQkM67Q1eZQxGDY8KdKN1E7Wq3eNR7sUjOMjNd7C');
    await sms.alter(sender, 'password_changed_at', new Date('2099-01-01T00:00:00Z'));
    expectRefused(await sms.smsGet(query({}, sender)), 401, 'Invalid credentials');
  });

  it('takes one number of 9 to 30 digits', async () => {
    const text = 'Each contact number must be between 9 and 30 digits';
    for (const number of ['919812345678,919812345679', '919812345678,', '12345678', '1'.repeat(31), 'abc']) {
      expectRefused(await sms.smsGet(query({ number })), 400, text);
    }
  });

  it('refuses what is too long, ids out of form, and the poor', async () => {
    expectRefused(await sms.smsGet(query({ message: 'a'.repeat(613), number: '1' })), 400, 'Message is too long');
    const form = 'providermessageid must be 1 to 64 characters of A-Z a-z 0-9 . _ : -';
    expectRefused(await sms.smsGet(query({ providermessageid: 'a b' })), 400, form);
    const poor = await sms.join(1);
    const short = 'Insufficient credits. Available: 1, Required: 2';
    expectRefused(await sms.smsGet(query({ message: 'a'.repeat(161) }, poor)), 400, short);
  });

  it('sends on GET alone: HEAD and POST are 405', async () => {
    const sender = await sms.join(5);
    const path = `/v5/api/sms_get.php?${new URLSearchParams(query({}, sender)).toString()}`;
    expect((await sms.request(path, { method: 'HEAD' })).status).toBe(405);
    expectRefused(await sms.request(path, { method: 'POST' }), 405, 'Method not allowed');
    expect(await sms.credits(sender)).toBe(5);
  });
});

describe('guessing', () => {
  it('ends after the failures a minute allows, also for the right password', async () => {
    const guarded = await openSms({ LOGIN_FAILURE_LIMIT: 3 });
    try {
      const victim = await guarded.join(5);
      const wrong = query({ password: 'wrong' }, victim);
      for (let tries = 0; tries < 3; tries++) expectRefused(await guarded.smsGet(wrong), 401, 'Invalid credentials');
      const refused = await guarded.smsGet(query({}, victim));
      expectRefused(refused, 429, 'Too many requests. Please try again later.');
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    } finally {
      await guarded.stop();
    }
  });
});
