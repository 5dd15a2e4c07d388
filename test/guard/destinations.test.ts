import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSms, PASSWORD, type Member, type Sms } from '../support/sms.js';
import { guardedOf, MESSAGES } from './support.js';

let sms: Sms;
let test: ReturnType<typeof guardedOf>;

beforeAll(async () => {
  sms = await openSms({ REGISTERED_GUARD: 'strict', REGISTER_RATE_LIMIT: 0, MESSAGES_PER_SECOND: 0 });
  test = guardedOf(sms);
});
afterAll(() => sms.stop());

async function registered(country: string | null): Promise<Member> {
  const username = `r${randomBytes(6).toString('hex')}`;
  const answer = await sms.post('/v1/auth/register', null, {
    ...{ firstname: 'New', lastname: 'Comer', username, email: `${username}@example.com` },
    ...{ password: PASSWORD, password_confirmation: PASSWORD },
    ...(country !== null && { country }),
  });
  expect(answer.status).toBe(201);
  const login = await sms.post('/v1/auth/login', null, { email_or_username: username, password: PASSWORD });
  const { id } = login.body['user'] as { id: number };
  await sms.dataSource.query(
    `UPDATE credit_balances SET available = 100000 WHERE account_id = ? AND balance = 'gsm_credits'`,
    [id],
  );
  return { account: { id, username } as Member['account'], token: login.body['token'] as string };
}

const CODES = '1 7 20 27 30 31 32 33 34 36 39 40 41 43 44 45 46 47 48 49 51 52 53 54 55 56 57 58 60 61 62 63 64 65 66 81 82 84 86 90 92 93 94 95 98 211 212 213 216 218 220 221 234 254 256 351 352 353 880 960'.split(' '); // prettier-ignore
const DENIED = 'destination_not_allowed';

describe('an account that registered itself', () => {
  it('reaches neither sixty calling codes nor 2,000 satellite numbers, and pays nothing', async () => {
    const member = await registered('India');
    const before = await sms.credits(member);
    expect(CODES).toHaveLength(60);
    for (const code of CODES) {
      const answer = await test.broadcastTo(member, [`${code}2345678901`.slice(0, 12)]);
      expect([code, answer.status, answer.body['code']]).toEqual([code, 400, DENIED]);
    }
    const satellite = Array.from({ length: 2_000 }, (_, index) => `8816${1_000_000 + index}`);
    const answer = await test.broadcastTo(member, satellite);
    expect(answer).toMatchObject({ status: 400, body: { message: 'Destination not allowed: 881', code: DENIED } });
    expect(await sms.credits(member)).toBe(before);
    const rows = await sms.dataSource.query<unknown[]>('SELECT id FROM campaigns WHERE account_id = ?', [
      member.account.id,
    ]);
    expect(rows).toEqual([]);
    expect((await test.send(member, '+919812345678')).status).toBe(202);
  });

  it('reaches nothing while its country is unknown', async () => {
    const member = await registered(null);
    expect((await test.send(member, '+919812345678')).body['code']).toBe(DENIED);
  });

  it('shows approved callers only', async () => {
    const member = await registered('India');
    const [row] = await sms.dataSource.query<{ required: number; kept: unknown }[]>(
      'SELECT require_sender AS required, set_by_staff AS kept FROM accounts WHERE id = ?',
      [member.account.id],
    );
    expect(Number(row?.required)).toBe(1);
    // of staff, so that a reseller who gets the account cannot lift it
    expect(JSON.stringify(row?.kept)).toContain('require_sender');
  });
});

describe('one rule for every form of a number', () => {
  const FORMS = [
    '8816123456789',
    '+8816123456789',
    '008816123456789',
    '+881 6123 456789',
    '(881) 6123-456789',
    '٨٨١6123456789',
  ];

  it.each(FORMS)('refuses %s over the broadcast', async (to) => {
    const member = await test.guarded({ countries: ['IN'] });
    const answer = await test.broadcastTo(member, [to]);
    expect(answer.status).toBe(400);
    expect(await sms.credits(member)).toBe(100_000);
  });

  it.each(['+8816123456789', '008816123456789', '+٨٨١٦١٢٣٤٥٦٧٨٩', '+881 6123 456 789'])(
    'refuses %s over messages and campaigns',
    async (to) => {
      const member = await test.guarded({ countries: ['IN'] });
      expect((await test.send(member, to)).body['code']).toBe(DENIED);
      const campaign = {
        channel: 'sms',
        broadcast_name: 'a',
        message: 'Hi {{name}}',
        recipients: [{ to, variables: { name: 'Jo' } }],
      };
      const answer = await sms.post('/v6/api/campaigns', member, campaign);
      expect(answer).toMatchObject({ status: 400, body: { code: DENIED, errors: [{ row: 1, reason: DENIED }] } });
    },
  );

  it('reads a national form as that of the country', async () => {
    const member = await test.guarded({ countries: ['IN'] });
    expect((await test.broadcastTo(member, ['09812345678'])).status).toBe(200);
    // without a zero it leaves as +98 12345678
    expect((await test.broadcastTo(member, ['9812345678'])).body['message']).toBe('Destination not allowed: 98');
    expect((await test.broadcastTo(member, ['0312345678901'])).status).toBe(400);
    expect((await test.broadcastTo(member, ['9198123456781234'])).status).toBe(400);
  });
});

describe('terms', () => {
  it('tell countries of one calling code apart, and need a prefix of their own for dear numbers', async () => {
    const member = await test.guarded({ countries: ['US', 'GB'], prefixes: ['7701'], special_prefixes: ['4490'] });
    const status = async (to: string): Promise<number> => (await test.broadcastTo(member, [to])).status;
    expect(await status('14155552671')).toBe(200);
    expect(await status('18765551234')).toBe(400);
    expect(await status('18095551234')).toBe(400);
    expect(await status('447400123456')).toBe(200);
    expect(await status('447781123456')).toBe(400); // Guernsey
    expect(await status('449098765432')).toBe(200);
    expect(await status('447012345678')).toBe(400); // personal
    expect(await status('448431234567')).toBe(400); // shared cost
    expect(await status('77011234567')).toBe(200);
    const world = await test.guarded({ countries: null });
    expect((await test.broadcastTo(world, ['8816123456789'])).status).toBe(400);
    expect((await test.broadcastTo(world, ['14155552671'])).status).toBe(200);
  });

  it('bound the price of a recipient and of a send', async () => {
    const member = await test.guarded({ max_price: 1 });
    const long = { channel: 'sms', to: '+919812345678', text: 'a'.repeat(200) };
    expect(await sms.post(MESSAGES, member, long)).toMatchObject({
      status: 400,
      body: { code: 'price_over_limit', message: 'Price of a recipient is 2 credits, at most 1 are allowed' },
    });
    expect((await test.send(member, '+919812345678')).status).toBe(202);
  });

  it('refuse rows of a campaign, or leave them out where the sender wants that', async () => {
    const member = await test.guarded({ countries: ['IN'] });
    const recipients = [{ to: '+919812345678' }, { to: '+8816123456789' }, { to: '+14155552671' }];
    const body = { channel: 'sms', broadcast_name: 'a', message: 'Hi', recipients };
    const refused = await sms.post('/v6/api/campaigns', member, body);
    expect(refused.status).toBe(400);
    expect((refused.body['errors'] as { row: number }[]).map(({ row }) => row)).toEqual([2, 3]);
    const sent = await sms.post('/v6/api/campaigns', member, { ...body, skip_invalid: true });
    expect(sent).toMatchObject({ status: 202, body: { data: { recipients: 1, skipped_count: 2 } } });
  });

  it('check members of a list', async () => {
    const member = await test.guarded({ countries: ['IN'] });
    const list = await sms.post('/v6/api/lists', member, { name: 'Friends' });
    const { list_id: id } = list.body['data'] as { list_id: number };
    await sms.post(`/v6/api/lists/${id}/members`, member, { members: [{ to: '+8816123456789' }] });
    const answer = await sms.post('/v6/api/campaigns', member, {
      channel: 'sms',
      broadcast_name: 'a',
      message: 'Hi',
      list_id: id,
    });
    expect(answer).toMatchObject({ status: 400, body: { code: DENIED } });
  });

  it('check a retry as a new send', async () => {
    const member = await test.guarded({});
    const sent = await test.broadcastTo(member, ['14155552671']);
    expect(sent.status).toBe(200);
    await sms.dataSource.query(
      `UPDATE campaign_recipients r JOIN campaigns c ON c.id = r.campaign_id SET r.status = 4 WHERE c.request_id = ?`,
      [sent.body['request_id']],
    );
    await sms.dataSource.query(`UPDATE campaigns SET state = 'completed' WHERE request_id = ?`, [
      sent.body['request_id'],
    ]);
    await sms.alter(member, 'guard', JSON.stringify({ countries: ['IN'] }));
    const answer = await sms.post(`/v6/api/campaigns/${String(sent.body['request_id'])}/retry-failed`, member, {});
    expect(answer).toMatchObject({ status: 400, body: { code: DENIED } });
  });
});
