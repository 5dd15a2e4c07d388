import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AccountDirectory } from '../../src/modules/accounts/index.js';
import { type Answer, expectRefused, type Member, openSms, type Sms } from '../support/sms.js';

const OWN = '/v6/api/sender-ids';
const STAFF = '/v6/api/admin/sender-ids';
const NOT_APPROVED = 'sender_id is not approved';

let sms: Sms;
let admin: Member;

beforeAll(async () => {
  sms = await openSms();
  admin = await sms.join(0, { userType: 'admin' });
});
afterAll(() => sms.stop());

const send = (method: string, path: string, member: Member | null, body?: unknown): Promise<Answer> =>
  sms.request(path, {
    method,
    headers: { 'content-type': 'application/json', ...(member && { authorization: `Bearer ${member.token}` }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });

const dataOf = (answer: Answer): Record<string, unknown> => answer.body['data'] as Record<string, unknown>;
const listed = (answer: Answer): Record<string, unknown>[] => answer.body['data'] as Record<string, unknown>[];
const register = (member: Member | null, body: unknown): Promise<Answer> => send('POST', OWN, member, body);
const move = (id: unknown, verdict: string, body: unknown = {}, who: Member = admin): Promise<Answer> =>
  send('POST', `${STAFF}/${String(id)}/${verdict}`, who, body);

async function approved(member: Member, body: Record<string, unknown> = {}): Promise<number> {
  const made = await register(member, { sender_id: 'ACME', channel: 'sms', ...body });
  expect(made.status).toBe(201);
  const { id } = dataOf(made) as { id: number };
  expect((await move(id, 'approve')).status).toBe(200);
  return id;
}

async function joinFrom(country: string): Promise<Member> {
  const member = await sms.join(1_000);
  await sms.dataSource.query('UPDATE accounts SET country_code = ? WHERE id = ?', [country, member.account.id]);
  sms.api.app.get(AccountDirectory, { strict: false }).forget(member.account.id);
  return member;
}

const broadcast = (member: Member, more: Record<string, unknown> = {}): Promise<Answer> =>
  sms.broadcast(member, {
    broadcast_name: 'Test',
    brodcast_service: 'main',
    contacts: ['919800000001', '919800000002'],
    message: 'Hello',
    ...more,
  });

const stored = async (answer: Answer): Promise<{ sender: string | null; content: Record<string, unknown> }> => {
  const [row] = await sms.dataSource.query<{ sender: string | null; content: string }[]>(
    'SELECT sender, content FROM campaigns WHERE request_id = ?',
    [answer.body['request_id']],
  );
  if (!row) throw new Error('no campaign');
  return { sender: row.sender, content: JSON.parse(row.content) as Record<string, unknown> };
};

describe('own sender ids', () => {
  it('wait for staff, and are shown to their owner alone', async () => {
    const [member, other] = [await sms.join(), await sms.join()];
    const made = await register(member, {
      sender_id: ' Acme 24 ',
      channel: 'sms',
      dlt_entity_id: '1701158019811140068',
      use_case: 'Orders',
      extra: 1,
    });
    expect(made.status).toBe(201);
    const data = dataOf(made);
    expect(made.body).toEqual({
      success: true,
      message: 'Sender id registered successfully',
      warnings: [expect.objectContaining({ code: 'unknown_field', field: 'extra' })],
      data: {
        id: data['id'],
        sender_id: 'Acme 24',
        channel: 'sms',
        dlt_entity_id: '1701158019811140068',
        use_case: 'Orders',
        status: 'pending',
        reason: null,
        created_by: { kind: 'account', id: member.account.id, name: member.account.username },
        created_at: data['created_at'],
        updated_at: data['created_at'],
      },
    });
    const path = `${OWN}/${String(data['id'])}`;
    expect((await send('GET', path, member)).body).toEqual({ success: true, data });
    for (const method of ['GET', 'DELETE']) {
      expectRefused(await send(method, path, other), 404, 'Sender id not found');
      expectRefused(await send(method, `${OWN}/x`, member), 404, 'Sender id not found');
    }
    expect(listed(await send('GET', OWN, other))).toEqual([]);
  });

  it.each([
    [{}, 'sender_id is required'],
    [{ sender_id: 'ACME' }, 'channel must be one of: sms, voice'],
    [{ sender_id: 'AC', channel: 'sms' }, 'sender_id must be 3 to 11 letters and digits or 5 to 15 digits'],
    [{ sender_id: 'ACME', channel: 'voice' }, 'sender_id must be 5 to 15 digits'],
    [{ sender_id: 'ACME', channel: 'sms', dlt_entity_id: 'x' }, 'dlt_entity_id must be 1 to 30 digits'],
    [{ sender_id: 'ACME', channel: 'sms', use_case: [] }, 'use_case is invalid'],
    [{ sender_id: 'ACME', channel: 'sms', use_case: 'x'.repeat(501) }, 'use_case must be at most 500 characters'],
  ])('refuses %j', async (body, text) => {
    const member = await sms.join();
    expectRefused(await register(member, body), 400, text);
    expect(listed(await send('GET', OWN, member))).toEqual([]);
  });

  it('are listed by cursor, newest first', async () => {
    const member = await sms.join();
    for (const sender_id of ['AAA', 'BBB', 'CCC']) await register(member, { sender_id, channel: 'sms' });
    const first = await send('GET', `${OWN}?limit=2`, member);
    expect(listed(first).map((one) => one['sender_id'])).toEqual(['CCC', 'BBB']);
    const next = await send('GET', `${OWN}?limit=2&cursor=${String(first.body['next_cursor'])}`, member);
    expect(listed(next).map((one) => one['sender_id'])).toEqual(['AAA']);
    expect(next.body['next_cursor']).toBeNull();
  });

  it('are registered once an account and channel, however many ask at once', async () => {
    const [member, other] = [await sms.join(), await sms.join()];
    const body = { sender_id: '57575', channel: 'sms' };
    const answers = await Promise.all(Array.from({ length: 8 }, () => register(member, body)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status !== 201)) {
      expectRefused(answer, 409, 'sender_id is already registered');
    }
    for (const [who, more] of [
      [other, {}],
      [member, { channel: 'voice' }],
      [member, { sender_id: 'Acme' }],
      [member, { sender_id: 'ACME' }],
    ] as const) {
      expect((await register(who, { ...body, ...more })).status).toBe(201);
    }
  });

  it('need a token', async () => {
    expectRefused(await register(null, { sender_id: 'ACME', channel: 'sms' }), 401, 'Invalid Authorization token');
  });
});

describe('staff', () => {
  it('see what they approve, once, and the owner hears of it', async () => {
    const member = await sms.join();
    const hook = { url: 'https://example.com/hook', events: ['sender_id.status.update'] };
    expect((await send('POST', '/v6/api/webhooks', member, hook)).status).toBe(201);
    const body = { sender_id: 'ACME', channel: 'sms', dlt_entity_id: '1701', use_case: 'Orders' };
    const { id } = dataOf(await register(member, body));
    const pending = listed(await send('GET', `${STAFF}?status=pending`, admin));
    const row = { id, username: member.account.username, revision: 1, status: 'pending', ...body };
    expect(pending.find((one) => one['id'] === id)).toMatchObject(row);
    const answer = await move(id, 'approve', { revision: 1 });
    expect(dataOf(answer)).toMatchObject({ ...row, status: 'approved', reason: null });
    expectRefused(await move(id, 'approve'), 409, 'Sender id is already approved');
    const [audited] = await sms.dataSource.query<{ action: string; details: string }[]>(
      "SELECT action, details FROM audit_log WHERE subject = ? AND action = 'sender_id.approve'",
      [String(id)],
    );
    expect(JSON.parse(audited?.details ?? '{}')).toEqual({
      sender_id: 'ACME',
      channel: 'sms',
      dlt_entity_id: '1701',
      from: 'pending',
      to: 'approved',
      reason: null,
      revision: 1,
    });
    const events = await sms.dataSource.query<{ body: string }[]>(
      'SELECT body FROM webhook_events WHERE account_id = ?',
      [member.account.id],
    );
    expect(events.map(({ body }) => JSON.parse(body) as unknown)).toEqual([
      {
        event: 'sender_id.status.update',
        id,
        sender_id: 'ACME',
        channel: 'sms',
        status: 'approved',
        reason: null,
      },
    ]);
  });

  it('check what they have looked at: a rejected one that came again is another revision', async () => {
    const member = await sms.join();
    const { id } = dataOf(await register(member, { sender_id: 'ACME', channel: 'sms' }));
    expect(dataOf(await move(id, 'reject', { reason: 'Not yours' }))).toMatchObject({
      status: 'rejected',
      reason: 'Not yours',
    });
    expectRefused(await move(id, 'reject'), 409, 'Sender id is already rejected');
    const again = await register(member, { sender_id: 'ACME', channel: 'sms', dlt_entity_id: '42' });
    expect(dataOf(again)).toMatchObject({ id, status: 'pending', reason: null, dlt_entity_id: '42' });
    expectRefused(await move(id, 'approve'), 409, 'Changed since you looked');
    expectRefused(await move(id, 'approve', { revision: 1 }), 409, 'Changed since you looked');
    expect((await move(id, 'approve', { revision: 2 })).status).toBe(200);
  });

  it('are asked in words that are known', async () => {
    const member = await sms.join();
    const { id } = dataOf(await register(member, { sender_id: 'ACME', channel: 'sms' }));
    expectRefused(await move(id, 'reject', { reason: 'x'.repeat(256) }), 400, 'reason must be at most 255 characters');
    expectRefused(await move(id, 'reject', { reason: [] }), 400, 'reason is invalid');
    expectRefused(await move(id, 'approve', { revision: 0 }), 400, 'revision must be a whole number from 1');
    expectRefused(await move(999_999_999, 'approve'), 404, 'Sender id not found');
    expectRefused(await move(id, 'approve', {}, member), 403, 'Forbidden');
    const unknown = await send('GET', `${STAFF}?status=x`, admin);
    expectRefused(unknown, 400, 'status must be one of: pending, approved, rejected');
  });
});

describe('a send of SMS', () => {
  it('leaves under an approved sender id, with its entity and the template', async () => {
    const member = await sms.join();
    await approved(member, { dlt_entity_id: '1701' });
    const answer = await broadcast(member, { sender_id: 'ACME', dlt_template_id: '1107161951486743588' });
    expect(answer.status).toBe(200);
    expect(await stored(answer)).toEqual({
      sender: 'ACME',
      content: { message: 'Hello', dlt: { entity_id: '1701', template_id: '1107161951486743588' } },
    });
    const plain = await broadcast(member, { validity_s: 60 });
    expect(await stored(plain)).toEqual({ sender: null, content: { message: 'Hello' } });
  });

  it('reads a number in national form by the country of the account, at every door', async () => {
    const member = await joinFrom('IN');
    const made = await register(member, { sender_id: '098123 45678', channel: 'sms' });
    expect(dataOf(made)).toMatchObject({ sender_id: '919812345678' });
    expect((await move(dataOf(made)['id'], 'approve')).status).toBe(200);
    expect((await register(member, { sender_id: '+91 98123 45678', channel: 'sms' })).status).toBe(409);
    for (const sender_id of ['09812345678', '98123 45678', '+91 98123-45678', '919812345678', '0091 9812345678']) {
      expect(await stored(await broadcast(member, { sender_id })), sender_id).toMatchObject({ sender: '919812345678' });
      const bulk = { channel: 'sms', broadcast_name: 'B', message: 'Hi', contacts: ['+919800000001'], sender_id };
      const sent = await send('POST', '/v6/api/campaigns', member, bulk);
      expect(await stored({ ...sent, body: dataOf(sent) }), sender_id).toMatchObject({ sender: '919812345678' });
      const one = { channel: 'sms', to: '+919800000001', text: 'Hi', sender_id };
      expect((await send('POST', '/v6/api/messages', member, one)).status, sender_id).toBe(202);
    }
    const abroad = await joinFrom('DE');
    await approved(abroad, { sender_id: '+91 98123 45678' });
    expectRefused(await broadcast(abroad, { sender_id: '09812345678' }), 400, NOT_APPROVED);
    expect((await broadcast(abroad, { sender_id: '919812345678' })).status).toBe(200);
  });

  it('is refused under another, and nothing is charged', async () => {
    const [member, other] = [await sms.join(10), await sms.join(10)];
    await approved(other);
    await register(member, { sender_id: 'WAITS', channel: 'sms' });
    await approved(member, { sender_id: '919800000001', channel: 'voice' });
    for (const sender_id of ['ACME', 'WAITS', 'waits', '919800000001', 'not one', ['ACME'], { a: 1 }]) {
      expectRefused(await broadcast(member, { sender_id }), 400, NOT_APPROVED);
    }
    expectRefused(await broadcast(member, { dlt_template_id: 'x' }), 400, 'dlt_template_id must be 1 to 30 digits');
    expect(await sms.credits(member)).toBe(10);
  });

  it('is refused for the rows of the table first', async () => {
    const member = await sms.join(1);
    const wrong = { sender_id: 'ACME', dlt_template_id: 'x' };
    expectRefused(
      await broadcast(member, { ...wrong, contacts: ['1'] }),
      400,
      'Each contact number must be between 9 and 30 digits',
    );
    expectRefused(await broadcast(member, wrong), 400, 'dlt_template_id must be 1 to 30 digits');
    expectRefused(await broadcast(member, { sender_id: 'ACME', dlt_template_id: '1' }), 400, NOT_APPROVED);
  });

  it('under an id of its own is another request under another sender', async () => {
    const member = await sms.join();
    const id = await approved(member);
    const providermessageid = `own-${randomBytes(6).toString('hex')}`;
    const first = await broadcast(member, { providermessageid, sender_id: 'ACME' });
    expect(first.status).toBe(200);
    expect((await send('DELETE', `${OWN}/${id}`, member)).status).toBe(200);
    // a repeat is answered before the sender is checked
    expect((await broadcast(member, { providermessageid, sender_id: 'ACME' })).body).toEqual(first.body);
    expectRefused(await broadcast(member, { providermessageid }), 409, 'request_id already exists');
    expectRefused(await broadcast(member, { sender_id: 'ACME' }), 400, NOT_APPROVED);
    expect((await stored(first)).sender).toBe('ACME');
  });

  it('by a plain GET takes both too', async () => {
    const member = await sms.join();
    await approved(member);
    const query = {
      username: member.account.username,
      password: 'Correct-Horse-1',
      message: 'Hi',
      number: '919800000001',
    };
    const answer = await sms.smsGet({ ...query, sender_id: 'ACME', dlt_template_id: '7' });
    expect(answer.status).toBe(200);
    expect(await stored(answer)).toEqual({ sender: 'ACME', content: { message: 'Hi', dlt: { template_id: '7' } } });
    const refused = await sms.smsGet({ ...query, sender_id: 'OTHER' });
    expect([refused.status, refused.body['message']]).toEqual([400, 'sender_id is not approved']);
  });
});
