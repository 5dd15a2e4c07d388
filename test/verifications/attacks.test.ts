import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dataOf } from '../support/campaigns.js';
import type { Member } from '../support/sms.js';
import { openVerifications, type Verifications, wrong } from './support.js';

let api: Verifications;
let member: Member;

beforeAll(async () => {
  api = await openVerifications();
  member = await api.join(1_000);
});
afterAll(() => api.stop());

let last = 0;
const someone = (): string => `+9197${String(10_000_000 + last++)}`;

describe('guessing a code', () => {
  it('ends with the fifth wrong one, though a hundred come at once', async () => {
    const made = await api.started(member, { to: someone() });
    const code = await api.codeOf(made['id']);
    const answers = await Promise.all(Array.from({ length: 100 }, () => api.check(member, made['id'], wrong(code))));
    const statuses = answers.map((answer) => dataOf(answer)['status']);
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    const [row] = await api.dataSource.query<{ tries: number; status: string }[]>(
      'SELECT tries, status FROM verifications WHERE id = ?',
      [api.numberOf(made['id'])],
    );
    expect(row).toEqual({ tries: 5, status: 'too_many' });
    expect(statuses.filter((status) => status === 'pending').length).toBeLessThanOrEqual(4);
    expect(dataOf(await api.check(member, made['id'], code))).toMatchObject({ status: 'too_many', attempts_left: 0 });
  });

  it('has five tries over all messages, channels and new starts', async () => {
    const to = someone();
    const first = await api.started(member, { to, channels: ['sms', 'sms'] });
    const code = await api.codeOf(first['id']);
    for (let tries = 0; tries < 2; tries++) await api.check(member, first['id'], wrong(code));
    await api.next(member, first['id']);
    expect(await api.codeOf(first['id'])).toBe(code);
    await api.check(member, first['id'], wrong(code));
    await api.later(first['id'], 31);
    const second = await api.started(member, { to });
    const other = await api.codeOf(second['id']);
    expect(dataOf(await api.check(member, second['id'], wrong(other)))['attempts_left']).toBe(1);
    // a start that is refused keeps the count too
    await api.later(second['id'], 31);
    expect((await api.start(member, { to, sender_id: 'NOBODY' })).status).toBe(400);
    const third = await api.started(member, { to });
    expect(third['attempts_left']).toBe(1);
    await api.check(member, third['id'], wrong(await api.codeOf(third['id'])));
    const locked = await api.start(member, { to });
    expect(locked).toMatchObject({ status: 429, body: { code: 'verification_locked' } });
    const wait = Number(locked.headers.get('retry-after'));
    expect(wait).toBeGreaterThan(500);
    expect(wait).toBeLessThanOrEqual(600);
    await api.later(third['id'], 600);
    expect((await api.started(member, { to }))['attempts_left']).toBe(5);
  });

  it('approves once, though a hundred right ones come at once', async () => {
    const made = await api.started(member, { to: someone() });
    const code = await api.codeOf(made['id']);
    const answers = await Promise.all(Array.from({ length: 100 }, () => api.check(member, made['id'], code)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(99);
    expect((await api.check(member, made['id'], code)).status).toBe(409);
    expect((await api.check(member, made['id'], wrong(code))).status).toBe(409);
  });

  it('has no chance at the moment of expiry', async () => {
    const made = await api.started(member, { to: someone(), ttl_s: 60 });
    const code = await api.codeOf(made['id']);
    await api.dataSource.query('UPDATE verifications SET expires_at = UTC_TIMESTAMP(3) WHERE id = ?', [
      api.numberOf(made['id']),
    ]);
    expect(dataOf(await api.check(member, made['id'], code))).toMatchObject({ status: 'expired' });
    expect(dataOf(await api.shown(member, made['id']))).toMatchObject({ status: 'expired' });
  });
});

describe('the limits', () => {
  let limited: Verifications;

  beforeAll(async () => {
    limited = await openVerifications({
      VERIFICATIONS_PER_DAY: 60,
      VERIFICATIONS_PER_NUMBER: 3,
      VERIFICATIONS_PER_RANGE: 40,
      VERIFICATIONS_PER_NETWORK: 5,
      TRUST_PROXY: '1',
    });
  });
  afterAll(() => limited.stop());

  it('let 10,000 starts over sequential numbers from 500 addresses cost the cap at the most', async () => {
    const victim = await limited.join(20_000);
    let accepted = 0;
    const addresses = new Set<string>();
    for (let from = 0; from < 10_000; from += 100) {
      const answers = await Promise.all(
        Array.from({ length: 100 }, (_, index) => {
          const number = 919_770_000_000 + from + index;
          const caller = number % 500;
          const address = `198.51.${caller >> 8}.${caller & 255}`;
          addresses.add(address);
          return limited.start(victim, { to: `+${number}`, client_ip: address }, { 'x-forwarded-for': address });
        }),
      );
      accepted += answers.filter(({ status }) => status === 201).length;
      const refused = answers.filter(({ status }) => status !== 201);
      expect(refused.every(({ status, body }) => status === 429 && body['code'] === 'verification_limit')).toBe(true);
    }
    expect(addresses.size).toBe(500);
    const cost = 20_000 - (await limited.credits(victim));
    expect(accepted).toBe(cost);
    expect(cost).toBeGreaterThanOrEqual(40);
    expect(cost).toBeLessThanOrEqual(60);
    await Promise.all(
      Array.from({ length: 100 }, (_, index) => limited.start(victim, { to: `+9198${20_000_000 + index * 10_000}` })),
    );
    expect(20_000 - (await limited.credits(victim))).toBe(60);
  });

  it('bound the messages to one person and from one network, and leave other accounts alone', async () => {
    const [one, two] = [await limited.join(100), await limited.join(100)];
    const made = await limited.started(one, { to: '+919811111111', channels: ['sms', 'sms', 'sms', 'sms'] });
    await limited.next(one, made['id']);
    await limited.next(one, made['id']);
    expect((await limited.next(one, made['id'])).status).toBe(429);
    expect((await limited.start(two, { to: '+919811111111' })).status).toBe(201);
    const client_ip = '2001:db8::1';
    const answers = [];
    for (let index = 0; index < 7; index++)
      answers.push(await limited.start(two, { to: `+9198222${10_000 * index + 10_000}0`.slice(0, 13), client_ip }));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(5);
  });
});
