import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { clockTime } from '../../src/kernel/clock.js';
import { V5_EXAMPLES } from '../../src/modules/session-messages/v5-session.dto.js';
import { until } from '../support/processes.js';
import { type ChatMember, openSessions, type Sessions } from '../support/sessions.js';

const TO = '919812345678';
const GOOD = { brodcast_service: 'chat_credits', contacts: TO, broadcast_message: 'Hello' };
const DAY_MS = 24 * 3_600_000;
const PATHS = ['session.php', 'session1.php', 'index.php/addbroadcast'];

let sessions: Sessions;
let member: ChatMember;

beforeAll(async () => {
  sessions = await openSessions();
  member = await sessions.member();
  await sessions.openWindow(member, TO);
});
afterAll(() => sessions.stop());
beforeEach(() => sessions.upstream.answer(null));

/** The body of a refusal; what helps beside it is told in error-help.test.ts. */
const shape = (message: string): unknown => expect.objectContaining({ status: 'error', textsent: 'error', message });

async function expectRefused(who: Omit<ChatMember, 'routeId'>, body: unknown, status: number, message: string) {
  const answer = await sessions.v5(who, body);
  expect(answer.body).toMatchObject({ status: 'error', textsent: 'error', message });
  expect(answer.status).toBe(status);
}

describe('who may send', () => {
  it('takes the token with and without Bearer; no cookie', async () => {
    for (const path of PATHS) {
      for (const authorization of [member.token, `Bearer ${member.token}`]) {
        const answer = await sessions.accounts.call('POST', `/v5/api/${path}`, {
          headers: { authorization },
          body: GOOD,
        });
        expect(answer.status).toBe(200);
      }
      for (const headers of [{}, { authorization: 'nonsense' }, { cookie: `auth_token=${member.token}` }]) {
        const answer = await sessions.accounts.call('POST', `/v5/api/${path}`, { headers, body: {} });
        expect([answer.status, answer.body]).toMatchObject([
          401,
          { status: 'error', textsent: 'error', message: 'Invalid Authorization token' },
        ]);
      }
      const answer = await sessions.accounts.call('GET', `/v5/api/${path}`, { token: member.token });
      expect([answer.status, answer.body.message]).toEqual([405, 'Method not allowed']);
    }
  });
});

describe('errors before the handler', () => {
  it.each(PATHS)('%s answers them in the shape of v5', async (path) => {
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const answer = await sessions.accounts.call(method, `/v5/api/${path}`, { token: member.token });
      expect([answer.status, answer.body]).toEqual([405, shape('Method not allowed')]);
      expect(answer.headers.get('allow')).toBe('POST');
    }
    const broken = await sessions.v5(member, '{"contacts":', path);
    expect([broken.status, broken.body]).toEqual([400, shape('Malformed JSON body')]);
    const huge = await sessions.v5(member, { ...GOOD, unknown: 'x'.repeat(1024 * 1024) }, path);
    expect([huge.status, huge.body]).toEqual([413, shape('Request body is too large')]);
    const fits = await sessions.v5(member, { ...GOOD, unknown: 'x'.repeat(1024 * 1024 - 300) }, path);
    expect(fits.status).toBe(200);
  });
});

describe('the answer', () => {
  it('carries the provider answer as JSON text', async () => {
    const answer = await sessions.v5(member, GOOD);
    expect(answer.body).toMatchObject({ status: 'ok', textsent: 'ok' });
    expect(JSON.parse(String(answer.body.message))).toEqual({
      contacts: [{ input: TO, wa_id: TO }],
      messages: [{ id: expect.stringMatching(/^wamid\./) as string }],
      meta: { api_status: 'stable', version: 'v21.0' },
    });
  });

  it('takes forms', async () => {
    const answer = await sessions.accounts.call('POST', '/v5/api/session.php', {
      token: member.token,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ ...GOOD, broadcast_message: 'From a form' }).toString(),
    });
    expect(answer.status).toBe(200);
    expect(sessions.upstream.last.body['text']).toEqual({ body: 'From a form' });
  });

  it('stores label and content', async () => {
    const who = await sessions.member();
    await sessions.openWindow(who, TO);
    await sessions.v5(who, { ...GOOD, broadcast_name: 'я'.repeat(101) });
    expect(await sessions.stored(who)).toMatchObject([
      { label: 'я'.repeat(100), status: 'Submitted', content: { type: 'text', text: { body: 'Hello' } } },
    ]);
  });

  const { scheduled: _, ...examples } = V5_EXAMPLES;
  it.each(Object.entries(examples))('example %s is taken', async (_name, { value }) => {
    expect((await sessions.v5(member, value)).status).toBe(200);
  });
});

describe('the order of errors', () => {
  it('account, body, connection, window, provider', async () => {
    const who = await sessions.stranger();
    await expectRefused(who, {}, 404, 'No chat account found for this username');
    const routeId = await sessions.connect(who.account, { url: null, token: null });
    const steps: [string, Record<string, unknown>][] = [
      ['brodcast_service must be chat_credits', { brodcast_service: 'chat_credits' }],
      ['contacts is required', { contacts: '+91,91' }],
      ['Recipient phone number is invalid', { contacts: '1234567' }],
      ['Recipient phone number must be between 8 and 20 digits', { contacts: '+91 98123-45678' }],
      ['schedule_time is invalid', { schedule_time: '' }],
      ['list and buttons cannot be sent together', { buttons: '' }],
      ['list must be between 1 and 10', { list: '' }],
      ['broadcast_message is required', { broadcast_message: 'Hello' }],
    ];
    let body: Record<string, unknown> = { brodcast_service: 'x', schedule_time: '25:00:00', list: '11', buttons: '1' };
    for (const [text, repair] of steps) {
      await expectRefused(who, body, 400, text);
      body = { ...body, ...repair };
    }
    await expectRefused(who, body, 404, 'Missing phone-number ID for this chat account');
    await sessions.connect(who.account, { token: null });
    await expectRefused(who, body, 404, 'Missing account token for this chat account');
    await sessions.connect(who.account, { provider: 'other' });
    await expectRefused(who, body, 500, 'Unable to resolve provider endpoint');
    await sessions.connect(who.account);
    await expectRefused(who, body, 400, 'Ticket Expired');
    await sessions.openWindow({ ...who, routeId }, TO);
    sessions.upstream.answer({ status: 400, body: { error: { message: 'Bad thing', code: 100 } } });
    await expectRefused(who, body, 502, 'Bad thing');
    sessions.upstream.answer('silence');
    await expectRefused(who, body, 502, 'Provider did not answer');
  });

  it('the window closes after 24 hours', async () => {
    const who = await sessions.member();
    await sessions.openWindow(who, TO, DAY_MS + 1_000);
    await expectRefused(who, GOOD, 400, 'Ticket Expired');
    await sessions.openWindow(who, TO, DAY_MS - 60_000);
    expect((await sessions.v5(who, GOOD)).status).toBe(200);
  });

  it('never answers 500, whatever the types', async () => {
    const fields = ['brodcast_service', 'broadcast_name', 'contacts', 'broadcast_message', 'schedule_time', 'list'];
    const more = ['buttons', 'button1_value', 'call_title', 'url_title', 'uploaded_image1', 'footer', 'template_id'];
    for (const field of [...fields, ...more]) {
      for (const value of [true, {}, [], [null], 7, -0.5, '\u0000', '\ud800', 'a'.repeat(5_000)]) {
        const { status } = await sessions.v5(member, { ...GOOD, [field]: value });
        expect([200, 400], `${field} = ${JSON.stringify(value)}`).toContain(status);
      }
    }
  });
});

describe('schedule_time', () => {
  const inSeconds = (seconds: number, zone: string): string => clockTime(new Date(Date.now() + seconds * 1000), zone);

  it('stores the message until the next occurrence in the time zone of the account, under an id of ours', async () => {
    const who = await sessions.member({}, { timeZone: 'Asia/Kolkata' });
    await expectRefused(who, { ...GOOD, schedule_time: '09:30:00' }, 400, 'Ticket Expired');
    await sessions.openWindow(who, TO);
    const calls = sessions.upstream.calls.length;
    const answer = await sessions.v5(who, { ...GOOD, schedule_time: inSeconds(3_600, 'Asia/Kolkata') });
    const [row] = await sessions.stored(who);
    expect(JSON.parse(String(answer.body.message))).toMatchObject({
      contacts: [{ input: TO, wa_id: TO }],
      messages: [{ id: String(row?.id) }],
    });
    expect(row).toMatchObject({ status: 'Pending', providerMessageId: null });
    expect(Math.abs((row?.dueAt?.getTime() ?? 0) - Date.now() - 3_600_000)).toBeLessThan(60_000);
    expect(sessions.upstream.calls).toHaveLength(calls);
  });

  it('leaves when due over an open window, else FAILED Ticket Expired; accounts must still stand', async () => {
    const [open, late, closed, gone] = [
      await sessions.member(),
      await sessions.member(),
      await sessions.member(),
      await sessions.member(),
    ];
    for (const who of [open, late, closed, gone]) {
      await sessions.openWindow(who, TO);
      const body = { ...GOOD, broadcast_message: `for ${who.routeId}`, schedule_time: inSeconds(3_600, 'UTC') };
      expect((await sessions.v5(who, body)).status).toBe(200);
    }
    const ids = [open, late, closed, gone].map(({ account }) => account.id);
    await sessions.dataSource.query('UPDATE chat_windows SET open_until = UTC_TIMESTAMP(3) WHERE route_id = ?', [
      late.routeId,
    ]);
    await sessions.dataSource.query('UPDATE accounts SET is_active = 0 WHERE id = ?', [closed.account.id]);
    await sessions.dataSource.query('DELETE FROM routes WHERE id = ?', [gone.routeId]);
    await sessions.dataSource.query('UPDATE session_messages SET due_at = UTC_TIMESTAMP(3) WHERE account_id IN (?)', [
      ids,
    ]);
    const workers = [await sessions.startWorker(), await sessions.startWorker()];
    try {
      await until('the scheduled messages to be settled', async () => {
        const rows = await Promise.all([open, late, closed, gone].map((who) => sessions.stored(who)));
        return rows.flat().every(({ status }) => status === 'Submitted' || status === 'Failed');
      });
    } finally {
      await Promise.all(workers.map((worker) => worker.close()));
    }
    expect(await sessions.stored(open)).toMatchObject([{ status: 'Submitted', dueAt: null }]);
    expect(await sessions.stored(late)).toMatchObject([{ status: 'Failed', errorMessage: 'Ticket Expired' }]);
    expect(await sessions.stored(closed)).toMatchObject([{ status: 'Failed', errorMessage: 'Account is inactive' }]);
    expect(await sessions.stored(gone)).toMatchObject([
      { status: 'Failed', errorMessage: 'No chat account found for this username' },
    ]);
    const texts = sessions.upstream.calls.map(({ body }) => (body['text'] as { body?: string } | undefined)?.body);
    expect(texts.filter((text) => text === `for ${open.routeId}`)).toHaveLength(1);
    for (const who of [late, closed, gone]) expect(texts).not.toContain(`for ${who.routeId}`);
  });
});

// Last, because passport knows one key a process: that of the API that was started last.
describe('the limit of requests', () => {
  it('429 with Retry-After, on v6 after the path', async () => {
    const limited = await openSessions({ USER_RATE_LIMIT: 2 });
    try {
      const who = await limited.member();
      await limited.openWindow(who, TO);
      for (let count = 0; count < 2; count++) expect((await limited.v5(who, GOOD)).status).toBe(200);
      const text = 'Too many requests. Please try again later.';
      const v5 = await limited.v5(who, GOOD);
      expect([v5.status, v5.body]).toEqual([429, shape(text)]);
      expect(Number(v5.headers.get('retry-after'))).toBeGreaterThan(0);
      const v6 = await limited.v6(who, {});
      expect([v6.status, v6.body.message]).toEqual([429, text]);
      expect((await limited.v6(who, {}, { username: 'somebody' })).status).toBe(401);
    } finally {
      await limited.stop();
    }
  });
});
