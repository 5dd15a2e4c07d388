import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { RecipientStatus } from '../../src/modules/engine/index.js';
import { voiceChannel } from '../../src/modules/channels/voice/index.js';
import { type CallEvent, CallScripts, type CallStep } from '../../src/modules/providers/index.js';
import { VoiceCalls } from '../../src/modules/channels/voice/index.js';
import { type RunningApi, startApi } from '../support/api.js';
import type { Member } from '../support/sms.js';
import { AudioServer, NUMBER, openVoice, type Voice } from '../support/voice.js';

const FORWARDS = ['919812345670', '919812345671', '919812345672'] as const;
const flowOf = (prompt: string) => ({
  rows: [
    { digit: '1', action: 'transfer', number: FORWARDS[0], fallback_numbers: FORWARDS.slice(1) },
    {
      digit: '2',
      action: 'submenu',
      prompt_audio: prompt,
      rows: [
        { digit: '1', action: 'submenu', prompt_audio: prompt, rows: [{ digit: '1', action: 'record' }] },
        { digit: '#', action: 'back' },
      ],
    },
  ],
});
const HANGUP: CallStep = { do: 'hangup' };
const ANSWERED: CallEvent = { kind: 'answered' };
const pressed = (digits: string): CallEvent => ({ kind: 'digits', digits });
const busy: CallEvent = { kind: 'dialed', outcome: 'busy', seconds: 0 };

/** What the telephone network asks, answered by two instances of the API over one database. */
describe('the script of an answered call', () => {
  let voice: Voice;
  let second: RunningApi;
  let audio: AudioServer;
  let member: Member;
  let scripts: [CallScripts, CallScripts];
  let routeId: number;
  let campaignId: number;
  let first: CallStep;
  let clip: string;
  let serial = 0;

  beforeAll(async () => {
    voice = await openVoice({ VOICE_MAX_CALL_SECONDS: 90 });
    second = await startApi(voice.environment, voice.database);
    audio = await AudioServer.open();
    member = await voice.rich();
    scripts = [voice.part(CallScripts), second.app.get(CallScripts, { strict: false })];
  });
  beforeEach(async () => {
    const contacts = [NUMBER, '919812345679'];
    const body = {
      broadcast_name: 'Menu',
      audio_url: audio.url(1_000),
      contacts,
      dtmf_flow: flowOf(audio.url(500)),
      caller_id: NUMBER,
    };
    const answer = await voice.send(member, body);
    const [row] = await voice.dataSource.query<{ id: number; route_id: number; content: string }[]>(
      'SELECT id, route_id, content FROM campaigns WHERE request_id = ?',
      [answer.body['request_id']],
    );
    campaignId = row?.id ?? 0;
    routeId = row?.route_id ?? 0;
    const content = JSON.parse(row?.content ?? '{}') as { audio_url: string; menu: { prompt: string }[] };
    const prompt = content.audio_url;
    clip = content.menu[1]?.prompt ?? '';
    first = { do: 'menu', prompt, digits: '12', timeoutSeconds: 5 };
    serial += 1;
  });
  afterAll(async () => {
    await second.stop();
    await voice.stop();
    await audio.close();
  });

  const ask = (step: number, event: CallEvent, change: { ref?: string; callId?: string; routeId?: number } = {}) => {
    const call = { routeId, ref: `${campaignId}-1`, callId: `call-${serial}`, ...change };
    return scripts[step % 2 === 0 ? 0 : 1].next(call, step, event);
  };
  const calls = async (seq = 1) => voice.part(VoiceCalls).of(campaignId, [seq]);

  it('walks three menus over two instances', async () => {
    expect(await ask(0, ANSWERED)).toEqual(first);
    expect(await ask(1, pressed('2'))).toEqual({ do: 'menu', prompt: clip, digits: '1#', timeoutSeconds: 5 });
    expect(await ask(2, pressed('1'))).toEqual({ do: 'menu', prompt: clip, digits: '1', timeoutSeconds: 5 });
    expect(await ask(3, pressed('1'))).toEqual({ do: 'record', maxSeconds: 120 });
    expect(await ask(4, { kind: 'recorded', url: 'https://recordings.example/1', seconds: 3 })).toEqual(HANGUP);
    expect(await calls()).toMatchObject([
      {
        attempt: 1,
        callId: `call-${serial}`,
        digits: '211',
        recordingUrls: ['https://recordings.example/1'],
        answeredAt: expect.any(Date) as Date,
        endedAt: null,
      },
    ]);
  });

  it('forwards with the caller id and the longest leg, to the first number that answers', async () => {
    await ask(0, ANSWERED);
    const dial = (number: string): CallStep => ({ do: 'dial', number, callerId: NUMBER, maxSeconds: 90 });
    expect(await ask(1, pressed('1'))).toEqual(dial(FORWARDS[0]));
    expect(await ask(2, busy)).toEqual(dial(FORWARDS[1]));
    expect(await ask(3, busy)).toEqual(dial(FORWARDS[2]));
    expect(await ask(4, { kind: 'dialed', outcome: 'completed', seconds: 30 })).toEqual(HANGUP);
  });

  it('answers a repeated question as before, and it happens once', async () => {
    await ask(0, ANSWERED);
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        scripts[index % 2 ? 1 : 0].next({ routeId, ref: `${campaignId}-1`, callId: `call-${serial}` }, 1, pressed('1')),
      ),
    );
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(await ask(1, pressed('2'))).toEqual(answers[0]);
    expect(await ask(0, ANSWERED)).toEqual(first);
    expect(await ask(2, busy)).toMatchObject({ do: 'dial', number: FORWARDS[1] });
    expect(await calls()).toMatchObject([{ digits: '1' }]);
  });

  it('begins once when two instances are asked at the same moment', async () => {
    const call = { routeId, ref: `${campaignId}-1`, callId: `call-${serial}` };
    const answers = await Promise.all(
      [0, 1, 0, 1].map((which) => scripts[which === 0 ? 0 : 1].next(call, 0, ANSWERED)),
    );
    expect(answers).toEqual([first, first, first, first]);
    expect(await calls()).toHaveLength(1);
  });

  it('keeps the address of a recording that comes with the second word', async () => {
    for (const [step, event] of [ANSWERED, pressed('2'), pressed('1'), pressed('1')].entries()) await ask(step, event);
    const url = 'https://recordings.example/2';
    expect(await ask(4, { kind: 'recorded', url: '', seconds: 0 })).toEqual(HANGUP);
    expect(await ask(4, { kind: 'recorded', url, seconds: 3 })).toEqual(HANGUP);
    expect(await ask(4, { kind: 'recorded', url, seconds: 3 })).toEqual(HANGUP);
    expect(await calls()).toMatchObject([{ recordingUrls: [url] }]);
  });

  it('keeps the calls of one recipient apart', async () => {
    await ask(0, ANSWERED);
    await ask(1, pressed('2'));
    expect(await ask(0, ANSWERED, { callId: `other-${serial}` })).toEqual(first);
    expect(await ask(1, pressed('1'), { callId: `other-${serial}` })).toMatchObject({ do: 'dial' });
    expect((await calls()).map(({ digits }) => digits).sort()).toEqual(['1', '2']);
  });

  it('hangs up on what nobody knows, and on a step that cannot be yet', async () => {
    for (const change of [
      { routeId: routeId + 1 },
      { ref: `${campaignId}-3` },
      { ref: `${campaignId + 1}-1` },
      { ref: 'nonsense' },
      { ref: `${campaignId}-1-1` },
      { ref: '99999999999999999-1' },
    ]) {
      expect(await ask(0, ANSWERED, change)).toEqual(HANGUP);
    }
    expect(await calls()).toEqual([]);
    expect(await ask(1, pressed('1'))).toEqual(HANGUP);
    expect(await ask(0, ANSWERED)).toEqual(first);
    expect(await ask(5, pressed('1'))).toEqual(HANGUP);
    expect(await ask(1, pressed('1'))).toMatchObject({ do: 'dial' });
  });

  it('shows in the contacts and in the timeline', async () => {
    for (const [step, event] of [ANSWERED, pressed('2'), pressed('1'), pressed('1')].entries()) await ask(step, event);
    const recording = 'https://recordings.example/3';
    await ask(4, { kind: 'recorded', url: recording, seconds: 3 });
    const ended = {
      campaignId,
      seq: 1,
      attempt: 1,
      providerMessageId: `call-${serial}`,
      status: RecipientStatus.Answered,
    };
    const { attemptLog } = voiceChannel;
    await voice.dataSource.transaction(async (tx) => {
      await attemptLog?.ended(tx, [{ ...ended, errorCode: null, errorText: null, durationSeconds: 21 }]);
      // The network tells twice; the first word stands.
      await attemptLog?.ended(tx, [{ ...ended, errorCode: 7, errorText: 'late', durationSeconds: 99 }]);
    });
    const [row] = await voice.dataSource.query<{ request_id: string }[]>(
      'SELECT request_id FROM campaigns WHERE id = ?',
      [campaignId],
    );
    const path = `/v6/api/campaigns/${row?.request_id ?? ''}/contacts`;
    const headers = { authorization: `Bearer ${member.token}` };
    expect((await voice.request(path, { headers })).body['data']).toMatchObject([
      { seq: 1, duration: 21, digits: '211', recording_url: recording },
      { seq: 2, duration: 0, digits: null, recording_url: null },
    ]);
    const timeline = (await voice.request(`${path}/1/timeline`, { headers })).body;
    expect(JSON.stringify(timeline)).toContain('"call_answered"');
    expect(JSON.stringify(timeline)).toContain(`"duration":21,"digits":"211","recording_urls":["${recording}"]`);
  });

  it('ends a call that goes on for ever', async () => {
    await ask(0, ANSWERED);
    for (let step = 1; step < 199; step += 2) {
      await ask(step, pressed('2'));
      expect(await ask(step + 1, pressed('#'))).toEqual(first);
    }
    expect(await ask(199, pressed('2'))).toMatchObject({ do: 'menu' });
    expect(await ask(200, pressed('#'))).toEqual(HANGUP);
  });
});
