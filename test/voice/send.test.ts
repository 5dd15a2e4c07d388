import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AudioServer, NUMBER, openVoice, type Voice } from '../support/voice.js';
import { type Answer, expectRefused, type Member } from '../support/sms.js';

const GOOD = { broadcast_name: 'Reminder', message: 'Your appointment is tomorrow.', contacts: [NUMBER] };
const TOKEN = 'Invalid Authorization token';
const TOO_LONG = 'Audio duration cannot exceed 120 seconds';
const NOT_FETCHED = 'audio_url could not be fetched';
const NO_ROUTE = 'No route available for this channel';

let voice: Voice;
let audio: AudioServer;
let member: Member;

beforeAll(async () => {
  voice = await openVoice({ VOICE_DEFAULT_CALLER_ID: '918000000001' });
  audio = await AudioServer.open();
  member = await voice.rich();
});
afterAll(async () => {
  await voice.stop();
  await audio.close();
});

const campaigns = async (owner: Member): Promise<Record<string, unknown>[]> =>
  voice.dataSource.query('SELECT * FROM campaigns WHERE account_id = ? ORDER BY id', [owner.account.id]);
const only = async (owner: Member): Promise<Record<string, unknown>> => (await campaigns(owner))[0] ?? {};
const contentOf = (row: Record<string, unknown>): Record<string, unknown> =>
  JSON.parse(String(row['content'])) as Record<string, unknown>;

describe('an accepted voice campaign', () => {
  it('answers the eight fields and what it has ignored, charges by the audio and waits for its approval', async () => {
    const sender = await voice.rich(10);
    const contacts = ['+91 98123 45678', NUMBER, '919812345679', '12345', 'nobody'];
    const answer = await voice.send(sender, {
      ...GOOD,
      message: undefined,
      audio_url: audio.url(15_001),
      contacts,
      surprise: 1,
    });
    expect(answer.body).toEqual({
      request_id: expect.stringMatching(/^VCAMP_\d{8}_[A-Z0-9]{8}$/) as unknown,
      campaign_name: 'Reminder',
      contacts: 2,
      counts_per_contact: 2,
      credits_deducted: 4,
      ivr_enabled: false,
      status: 'Pending for Verification',
      audio_url: audio.url(15_001),
    });
    expect(JSON.parse(answer.headers.get('switchboard-warnings') ?? '')).toEqual([
      { code: 'contacts_left_out', field: 'contacts', count: 2 },
      { code: 'contacts_repeated', field: 'contacts', count: 1 },
      { code: 'unknown_field', field: 'surprise' },
    ]);
    expect(answer.status).toBe(200);
    expect(await voice.credits(sender, 'voice_credits')).toBe(6);
    const row = await only(sender);
    expect(row).toMatchObject({ state: 'pending_approval', channel: 'voice', unit_credits: 2, total_rows: 2 });
    expect(contentOf(row)).toEqual({
      audio_url: expect.stringMatching(/\/audio\/[\w-]{22,}\.wav$/) as unknown,
      milliseconds: 15_001,
      source: { audio_url: audio.url(15_001) },
      voiceplan: 15,
      caller_id: '918000000001',
      menu: null,
      retries: 0,
      retry_interval: 60,
    });
    const lanes = await voice.dataSource.query('SELECT wake_at FROM campaign_lanes WHERE campaign_id = ?', [row['id']]);
    expect(lanes).toEqual([{ wake_at: null }]);
    const path = `/v6/api/campaigns/${String(answer.body['request_id'])}`;
    const view = await voice.request(path, { headers: { authorization: `Bearer ${sender.token}` } });
    expect(view.body['data']).toMatchObject({
      channel: 'voice',
      status: 'Pending for Verification',
      status_counts: { PENDING: 2 },
    });
  });

  it('speaks a text, and the same text again is the same audio', async () => {
    const sender = await voice.rich(10);
    const first = await voice.send(sender, { ...GOOD, language: 'en' });
    expect(first.body['audio_url']).toMatch(/\/audio\/[\w-]{22,}\.wav$/);
    const second = await voice.send(sender, { ...GOOD, language: 'english', caller_id: '+44 20 7946 0000' });
    expect(second.body['audio_url']).toBe(first.body['audio_url']);
    const [one, two] = (await campaigns(sender)).map(contentOf);
    expect(one).toMatchObject({ source: { message: GOOD.message, language: 'en' }, caller_id: '918000000001' });
    expect(one?.['audio_url']).toBe(first.body['audio_url']);
    expect(two).toMatchObject({ caller_id: '442079460000', milliseconds: one?.['milliseconds'] });
  });

  it('keeps menus, retries, plan and schedule', async () => {
    const sender = await voice.rich(10);
    const dtmf_flow = JSON.stringify({ rows: [{ digit: '1', action: 'record' }] });
    const callback_audio = [{ dtmf: '2', selected_number: '+91 98123 45679' }];
    const more = { voiceplan: '30', retries: 2, retry_interval: 5, schedule_time: '2099-05-02T09:30:00Z' };
    const body = { ...GOOD, audio_url: audio.url(45_000), dtmf_flow, callback_audio, ...more };
    const answer = await voice.send(sender, body);
    expect(answer.body).toMatchObject({ ivr_enabled: true, counts_per_contact: 2, credits_deducted: 2 });
    const row = await only(sender);
    expect(row).toMatchObject({ scheduled_at: new Date('2099-05-02T09:30:00Z') });
    expect(contentOf(row)).toMatchObject({
      retries: 2,
      retry_interval: 5,
      voiceplan: 30,
      menu: [
        { digit: '1', action: 'record' },
        { digit: '2', action: 'transfer', numbers: ['919812345679'] },
      ],
    });
  });

  it.each([
    [15_000, 1],
    [15_001, 2],
    [105_010, 8],
    [120_000, 8],
  ])('%i ms cost %i credits', async (milliseconds, credits) => {
    const answer = await voice.send(member, { ...GOOD, audio_url: audio.url(milliseconds) });
    expect([answer.status, answer.body['counts_per_contact']]).toEqual([200, credits]);
  });
});

describe('the error table of a voice send', () => {
  const refusedSend = async (body: unknown, text: string): Promise<void> =>
    expectRefused(await voice.send(member, body), 400, text);

  it('405, 401 by header only', async () => {
    expectRefused(await voice.request('/v6/api/v1/voice/send'), 405, 'Method not allowed');
    expectRefused(await voice.send(null, GOOD), 401, TOKEN);
    expectRefused(await voice.send(null, GOOD, { cookie: `auth_token=${member.token}` }), 401, TOKEN);
    expectRefused(await voice.send(null, { ...GOOD, username: member.account.username }), 401, TOKEN);
    expectRefused(await voice.send(null, {}, { authorization: 'Bearer nonsense' }), 401, TOKEN);
  });

  it('no body, an odd body and malformed JSON', async () => {
    for (const body of ['', '[]', '"text"', '{}']) await refusedSend(body, 'broadcast_name is required');
    await refusedSend('{', 'Malformed JSON body');
  });

  it('the rows in the order of reference/voice#order: the request, the audio, the credits', async () => {
    const poor = await voice.rich(2);
    const missing = audio.url(1).replace('1.wav', 'missing');
    const body: Record<string, unknown> = {
      audio_url: missing,
      contacts: ['1'],
      retry_interval: 7,
      retries: 9,
      caller_id: '1',
      schedule_time: 'soon',
      voiceplan: '1',
      callback_audio: 7,
      dtmf_flow: '{',
    };
    const steps: [text: string, mend: Record<string, unknown>][] = [
      ['broadcast_name is required', { broadcast_name: 'Reminder' }],
      ['retry_interval must be one of: 5, 10, 30, 60, 180, 300', { retry_interval: 5 }],
      ['No valid numbers were found in contacts.', { contacts: [NUMBER] }],
      ['retries must be between 0 and 5', { retries: 5 }],
      ['caller_id must be 10 to 16 digits', { caller_id: NUMBER }],
      ['schedule_time is invalid', { schedule_time: '2019-01-01 00:00:00' }],
      ['voiceplan must be one of: 15, 30', { voiceplan: '15' }],
      ['Each callback_audio item must contain dtmf and selected_number', { callback_audio: [] }],
      ['dtmf_flow is not valid JSON', { dtmf_flow: '' }],
      ['schedule_time is invalid', { schedule_time: '2099-01-01 00:00:00' }],
      [NOT_FETCHED, { audio_url: audio.url(120_010) }],
      [TOO_LONG, { audio_url: audio.url(30_001) }],
      ['Insufficient credits. Required: 3, Available: 2', {}],
    ];
    for (const [text, mend] of steps) {
      expectRefused(await voice.send(poor, body), 400, text);
      Object.assign(body, mend);
    }
    expect(await campaigns(poor)).toEqual([]);
  });

  it('asks nobody for the audio of a request that is refused without it', async () => {
    const before = audio.asked;
    await refusedSend({ ...GOOD, audio_url: audio.url(1_000), dtmf_flow: 7 }, 'dtmf_flow is not valid JSON');
    expect(audio.asked).toBe(before);
  });

  it('message and contacts', async () => {
    await refusedSend({ ...GOOD, message: '' }, 'Either audio_file_id or message is required');
    await refusedSend(
      { ...GOOD, message: 'a'.repeat(5_001), contacts: '' },
      'Text for voice message cannot exceed 5000 characters.',
    );
    await refusedSend({ ...GOOD, contacts: NUMBER }, "Provide an array of phone numbers in 'contacts'");
    await refusedSend({ ...GOOD, message: 'word '.repeat(1_000) }, TOO_LONG);
  });

  it('the credits of all contacts, exactly; nothing is taken from a refused request', async () => {
    const sender = await voice.rich(5);
    const body = { ...GOOD, audio_url: audio.url(15_001), contacts: [NUMBER, '919812345679', '919812345670'] };
    expectRefused(await voice.send(sender, body), 400, 'Insufficient credits. Required: 6, Available: 5');
    const answers = await Promise.all(
      Array.from({ length: 8 }, (): Promise<Answer> => voice.send(sender, { ...body, contacts: [NUMBER] })),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(2);
    for (const answer of answers.filter(({ status }) => status !== 200)) {
      expect(answer.body['message']).toMatch(/^Insufficient credits\. Required: 2, Available: \d$/);
    }
    expect(await voice.credits(sender, 'voice_credits')).toBe(1);
  });

  it('503 without a route, before the debit', async () => {
    const sender = await voice.rich(10);
    const [route] = await voice.dataSource.query<{ id: number }[]>("SELECT id FROM routes WHERE channel = 'voice'");
    await voice.removeRoute(route?.id ?? 0);
    expectRefused(await voice.send(sender, GOOD), 503, NO_ROUTE);
    expect(await voice.credits(sender, 'voice_credits')).toBe(10);
    await voice.addVoiceRoute();
    expect((await voice.send(sender, GOOD)).status).toBe(200);
  });
});

describe('POST /v6/api/v1/voice/simulate', () => {
  const simulate = (body: unknown, by: Member | null = member): Promise<Answer> =>
    voice.post('/v6/api/v1/voice/simulate', by, body);
  const dtmf_flow = { rows: [{ digit: '1', action: 'transfer', number: NUMBER }] };

  it('walks the menus, calls nobody and charges nothing', async () => {
    const sender = await voice.rich(10);
    const answer = await simulate({ message: 'Press 1', dtmf_flow, digits: ['9', '1'] }, sender);
    const menu = { at: 'dtmf_flow', does: 'menu', hears: 'Press 1', keys: '1', number: null, outcome: null };
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        success: true,
        data: {
          ivr_enabled: true,
          steps: [
            { ...menu, pressed: '9' },
            { ...menu, pressed: '1' },
            {
              at: 'dtmf_flow.rows[0]',
              does: 'dial',
              hears: null,
              keys: null,
              pressed: null,
              number: NUMBER,
              outcome: 'completed',
            },
          ],
          ended: { reason: 'transferred', at: 'dtmf_flow.rows[0]' },
          unused_digits: [],
        },
      },
    ]);
    expect(await voice.credits(sender, 'voice_credits')).toBe(10);
    expect(await campaigns(sender)).toEqual([]);
  });

  it('refuses in the words of a send', async () => {
    expectRefused(await simulate({ dtmf_flow }, null), 401, TOKEN);
    expectRefused(
      await simulate({ dtmf_flow: { rows: [{ digit: '1' }] } }),
      400,
      'dtmf_flow.rows[0].action is required',
    );
    expectRefused(await simulate('{'), 400, 'Malformed JSON body');
    expect((await simulate('[]')).status).toBe(200);
  });
});

describe('an account with require_sender', () => {
  it('calls under approved sender ids alone, or under the number of the operator', async () => {
    const owner = await voice.rich();
    await voice.alter(owner, 'require_sender', 1);
    const approve = (channel: string, senderId: string): Promise<unknown> =>
      voice.dataSource.query(
        `INSERT INTO sender_ids (account_id, channel, sender_id, status, revision, created_at, updated_at)
         VALUES (?, ?, ?, 'approved', 1, UTC_TIMESTAMP(3), UTC_TIMESTAMP(3))`,
        [owner.account.id, channel, senderId],
      );
    await approve('sms', '919800000007');
    const call = (caller_id?: string): Promise<Answer> => voice.send(owner, { ...GOOD, caller_id });
    expectRefused(await call('919800000007'), 400, 'sender_id is not approved');
    expect(await campaigns(owner)).toEqual([]);
    await approve('voice', '919800000007');
    expect((await call('+91 98000 00007')).status).toBe(200);
    expect((await call()).status).toBe(200);
    expect((await campaigns(owner)).map((row) => [row['sender'], contentOf(row)['caller_id']])).toEqual([
      ['919800000007', '919800000007'],
      [null, '918000000001'],
    ]);
    // a national number is the approved one that it means, also for the calls that a menu forwards
    await voice.alter(owner, 'country_code', 'IN');
    expect((await call('098000 00007')).status).toBe(200);
    expect((await campaigns(owner)).map((row) => [row['sender'], contentOf(row)['caller_id']]).at(-1)).toEqual([
      '919800000007',
      '919800000007',
    ]);
    await voice.alter(owner, 'require_sender', 0);
    const national = await call('9800000007');
    expect(JSON.parse(national.headers.get('switchboard-warnings') ?? '[]')).toContainEqual(
      expect.objectContaining({ code: 'numbers_look_wrong', field: 'caller_id', count: 1 }),
    );
    await voice.alter(owner, 'strict_numbers', 1);
    expect((await call('9800000007')).body).toMatchObject({
      code: 'numbers_invalid',
      field: 'caller_id',
      errors: [{ reason: 'number_read_otherwise', message: 'number reads as +919800000007: write it so' }],
    });
    await voice.alter(owner, 'strict_numbers', 0);
    expect((await call('919800000008')).status).toBe(200);
  });
});

// Last, because the tokens of a process are those of the API that started last in it.
describe('VOICE_AUTO_APPROVE', () => {
  it('skips the approval where the operator says so', async () => {
    const trusting = await openVoice({ VOICE_AUTO_APPROVE: true });
    try {
      const sender = await trusting.rich(10);
      const answer = await trusting.send(sender, GOOD);
      expect(answer.body['status']).toBe('Pending for Verification');
      const [row] = await trusting.dataSource.query<{ state: string; content: string }[]>('SELECT * FROM campaigns');
      expect(row?.state).toBe('accepted');
      expect(row && contentOf({ ...row })['caller_id']).toBe('');
      const [lane] = await trusting.dataSource.query<{ wake_at: Date | null }[]>('SELECT wake_at FROM campaign_lanes');
      expect(lane?.wake_at).toBeInstanceOf(Date);
    } finally {
      await trusting.stop();
    }
  });
});
