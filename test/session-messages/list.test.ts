import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { clockTime } from '../../src/kernel/clock.js';
import type { Answer } from '../support/accounts.js';
import { type ChatMember, openSessions, type Sessions } from '../support/sessions.js';

const TO = '919812345678';
const PATH = '/v6/api/session-messages';
const V6 = { messaging_product: 'chat', to: TO, type: 'text', text: { body: 'Hello' } };
const MOMENT = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/;

let sessions: Sessions;
let who: ChatMember;

beforeAll(async () => {
  sessions = await openSessions();
  who = await sessions.member({}, { timeZone: 'Asia/Kolkata' });
  await sessions.openWindow(who, TO);
});
afterAll(() => sessions.stop());

const list = async (query = '', token = who.token): Promise<Record<string, unknown>[]> => {
  const { status, body } = await sessions.accounts.call('GET', `${PATH}${query}`, { token });
  expect(status).toBe(200);
  return body['data'] as Record<string, unknown>[];
};
const cancel = (id: unknown, token = who.token): Promise<Answer> =>
  sessions.accounts.call('DELETE', `${PATH}/${String(id)}`, { token });
const schedule = async (member = who): Promise<number> => {
  const later = clockTime(new Date(Date.now() + 3_600_000), 'Asia/Kolkata');
  const body = { contacts: TO, broadcast_message: 'Later', broadcast_name: 'Diwali', schedule_time: later };
  const { body: answer } = await sessions.v5(member, body);
  return Number((JSON.parse(String(answer.message)) as { messages: { id: string }[] }).messages[0]?.id);
};

describe('the list of session messages', () => {
  it('shows what is scheduled and what has left, the newest first', async () => {
    expect((await sessions.v6(who, V6)).status).toBe(200);
    const id = await schedule();
    sessions.upstream.answer({ status: 400, body: { error: { message: 'Bad thing', code: 100 } } });
    await sessions.v6(who, { ...V6, type: 'image', image: { link: 'https://a.example/a.png' } });
    sessions.upstream.answer(null);
    const [failed, waiting, sent] = await list();
    const find = (member: string, which: unknown = failed?.['id']) =>
      sessions.accounts.call('GET', `${PATH}/${String(which)}`, { token: member });
    const { username } = who.account;
    expect(await find(who.token)).toMatchObject({ status: 200, body: { data: { ...failed, username } } });
    const staff = sessions.accounts.token(await sessions.accounts.account({ userType: 'admin' }));
    expect((await find(staff)).body['data']).toEqual({ ...failed, username });
    const stranger = sessions.accounts.token(await sessions.accounts.account());
    for (const [token, which] of [
      [stranger, failed?.['id']],
      [who.token, 1],
      [who.token, 'x'],
    ] as const) {
      expect(await find(token, which)).toMatchObject({ status: 404, body: { message: 'Message not found' } });
    }
    const common = { to: TO, recipient: null, created_at: expect.stringMatching(MOMENT) as unknown };
    const untold = {
      test: false,
      pricing: null,
      error_code: null,
      errorMessage: null,
      provider_message_id: null,
      broadcast_name: null,
    };
    const times = { updated_at: expect.stringMatching(MOMENT) as unknown, scheduled_at: null };
    expect(failed).toEqual({
      ...common,
      ...untold,
      ...times,
      id: expect.any(Number) as unknown,
      type: 'image',
      status: 'FAILED',
      error_code: 100,
      errorMessage: 'Bad thing',
      sent_at: expect.stringMatching(MOMENT) as unknown,
    });
    expect(waiting).toEqual({
      ...common,
      ...untold,
      ...times,
      id,
      type: 'text',
      status: 'PENDING',
      broadcast_name: 'Diwali',
      scheduled_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+05:30$/) as unknown,
      sent_at: null,
    });
    const inZone = clockTime(new Date(Date.now() + 3_600_000), 'Asia/Kolkata').slice(0, 4);
    expect(String(waiting?.['scheduled_at']).slice(11, 15)).toBe(inZone);
    expect(sent).toMatchObject({ status: 'SENT', provider_message_id: expect.stringMatching(/^wamid/) as unknown });
  });

  it('narrows by status and schedule, in pages; odd values are clamped', async () => {
    const shown = async (query: string): Promise<unknown[]> => (await list(query)).map(({ status }) => status);
    expect(await shown('?status=failed')).toEqual(['FAILED']);
    expect(await shown('?status=PENDING&scheduled=true')).toEqual(['PENDING']);
    expect(await shown('?scheduled=false')).toEqual(['FAILED', 'SENT']);
    expect(await shown('?scheduled=maybe&status=')).toHaveLength(3);
    expect(await shown('?status=nonsense')).toEqual([]);
    expect(await shown('?limit=1&page=3')).toEqual(['SENT']);
    expect(await shown('?limit=1&page=4')).toEqual([]);
    const { body } = await sessions.accounts.call('GET', `${PATH}?limit=9999&page=x`, { token: who.token });
    expect(body).toMatchObject({ success: true, page: 1, limit: 1000, total: 3 });
  });

  it('is the owner’s alone', async () => {
    const other = await sessions.member();
    expect(await list('', other.token)).toEqual([]);
    const [id] = (await list('?status=PENDING')).map((message) => message['id']);
    const foreign = await cancel(id, other.token);
    expect([foreign.status, foreign.body.message]).toEqual([404, 'Message not found']);
    expect(await sessions.accounts.row('GET', PATH)).toEqual([401, 'Invalid Authorization token']);
    expect(await sessions.accounts.row('DELETE', `${PATH}/1`)).toEqual([401, 'Invalid Authorization token']);
    expect(await sessions.accounts.row('POST', PATH, { token: who.token })).toEqual([405, 'Method not allowed']);
    expect(await sessions.accounts.row('PUT', `${PATH}/1`, { token: who.token })).toEqual([405, 'Method not allowed']);
  });
});

describe('a scheduled message that is cancelled', () => {
  it('never leaves', async () => {
    const member = await sessions.member();
    await sessions.openWindow(member, TO);
    const id = await schedule(member);
    const done = await cancel(id, member.token);
    expect([done.status, done.body]).toEqual([200, { success: true, message: 'Message cancelled successfully' }]);
    expect(await list('', member.token)).toMatchObject([{ id, status: 'CANCELLED', sent_at: null }]);
    expect(await sessions.stored(member)).toMatchObject([{ dueAt: null }]);
    const again = await cancel(id, member.token);
    expect([again.status, again.body.message]).toEqual([409, 'Message is already cancelled']);
  });

  it('cannot be what has left or may have', async () => {
    for (const [code, word] of [
      [1, 'sent'],
      [2, 'delivered'],
      [3, 'read'],
      [4, 'failed'],
      [9, 'sending'],
    ]) {
      const id = await schedule();
      await sessions.dataSource.query('UPDATE session_messages SET status = ?, due_at = NULL WHERE id = ?', [code, id]);
      const refused = await cancel(id);
      expect([refused.status, refused.body.message]).toEqual([409, `Message is already ${word}`]);
    }
    for (const odd of ['0', 'x', '99999999999999999999', '1']) {
      const refused = await cancel(odd);
      expect([refused.status, refused.body.message], odd).toEqual([404, 'Message not found']);
    }
  });
});

describe('clocks that differ', () => {
  it('change neither the times that are kept nor the window', async () => {
    vi.useFakeTimers({ now: Date.now() + 25 * 3_600_000, toFake: ['Date'] });
    try {
      const sent = await sessions.v5(who, { contacts: TO, broadcast_message: 'Now' });
      expect(sent.status).toBe(200);
    } finally {
      vi.useRealTimers();
    }
    const [newest] = await sessions.dataSource.query<Record<string, string>[]>(
      `SELECT ABS(TIMESTAMPDIFF(SECOND, created_at, UTC_TIMESTAMP(3))) AS created,
         ABS(TIMESTAMPDIFF(SECOND, sent_at, UTC_TIMESTAMP(3))) AS sent,
         ABS(TIMESTAMPDIFF(SECOND, updated_at, UTC_TIMESTAMP(3))) AS updated
       FROM session_messages ORDER BY id DESC LIMIT 1`,
    );
    for (const seconds of Object.values(newest ?? {})) expect(Number(seconds)).toBeLessThan(3_600);
  });
});

describe('an id that the provider gives twice', () => {
  it('is the first message’s alone, and the second is sent all the same', async () => {
    const member = await sessions.member();
    sessions.upstream.answer({ status: 200, body: { messages: [{ id: 'wamid.same' }] } });
    for (let index = 0; index < 2; index++) expect((await sessions.v6(member, V6)).status).toBe(200);
    sessions.upstream.answer(null);
    const shown = await list('', member.token);
    expect(shown.map(({ status, provider_message_id: id }) => [status, id])).toEqual([
      ['SENT', null],
      ['SENT', 'wamid.same'],
    ]);
  });
});
