import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { INCOMPLETE_ITEM, NOT_JSON } from './menu.js';
import { blocksOf, type VoiceBody, readVoiceRequest, VOICE_TEXTS, type VoiceRequest } from './voice-request.js';

const NUMBER = '919812345678';
const GOOD: VoiceBody = { broadcast_name: 'Reminder', message: 'Hello', contacts: [NUMBER] };
const RULES = { allowedPrefixes: [] };
const read = (change: VoiceBody): ReturnType<typeof readVoiceRequest> =>
  readVoiceRequest({ ...GOOD, ...change }, RULES);
const faultOf = (change: VoiceBody): unknown => {
  const result = read(change);
  return 'fault' in result ? result.fault : result;
};
const requestOf = (change: VoiceBody): VoiceRequest => {
  const result = read(change);
  if ('fault' in result) throw new Error(result.fault);
  return result.request;
};

/** The rows in the order in which they are checked, each with a request that has this fault. */
const ROWS: [text: string, VoiceBody][] = [
  [VOICE_TEXTS.name, { broadcast_name: '' }],
  [VOICE_TEXTS.noAudio, { message: ' ' }],
  [VOICE_TEXTS.contacts, { contacts: [] }],
  [VOICE_TEXTS.interval, { retry_interval: 7 }],
  [VOICE_TEXTS.noNumbers, { contacts: ['123'] }],
  [VOICE_TEXTS.retries, { retries: 6 }],
  ['caller_id must be 10 to 16 digits', { caller_id: '123' }],
  [VOICE_TEXTS.schedule, { schedule_time: 'soon' }],
  [VOICE_TEXTS.plan, { voiceplan: '20' }],
  [INCOMPLETE_ITEM, { callback_audio: [{}] }],
  [NOT_JSON, { dtmf_flow: '{' }],
];

describe('readVoiceRequest', () => {
  it('fills in the defaults', () => {
    expect(requestOf({})).toEqual({
      broadcastName: 'Reminder',
      callerId: null,
      source: { text: 'Hello', language: null },
      receivers: [NUMBER],
      plan: 15,
      menu: null,
      retries: 0,
      retryIntervalSeconds: 60,
      schedule: undefined,
    });
  });

  it('takes every field, numbers as texts and texts as numbers', () => {
    const request = requestOf({
      broadcast_name: 7,
      caller_id: '+91 80000 00000',
      audio_url: ' https://files.example/a.wav ',
      language: 'hindi',
      contacts: [
        '+91 98123-45678',
        919812345678,
        'tel:0044 20 7946 0000',
        '123',
        '12345678901234567',
        {},
        null,
        true,
        '',
      ],
      voiceplan: 30,
      retries: '5',
      retry_interval: '300',
      schedule_time: '2026-05-01 12:00:00',
    });
    expect(request).toMatchObject({
      broadcastName: '7',
      callerId: '918000000000',
      source: { url: 'https://files.example/a.wav' },
      receivers: [NUMBER, '00442079460000'],
      plan: 30,
      retries: 5,
      retryIntervalSeconds: 300,
      schedule: '2026-05-01 12:00:00',
    });
  });

  it.each(ROWS.map(([text, change], index) => ({ text, change, later: ROWS.slice(index + 1) })))(
    '$text, before every row below it',
    ({ text, change, later }) => {
      expect(faultOf(change)).toBe(text);
      for (const [, other] of later) expect(faultOf({ ...other, ...change })).toBe(text);
    },
  );

  it.each([
    ['broadcast_name', [undefined, null, '', ' ', true, {}, []], VOICE_TEXTS.name],
    ['message', [undefined, null, '', ' \n', false, {}, ['text']], VOICE_TEXTS.noAudio],
    ['audio_url', [true, {}, []], VOICE_TEXTS.noAudio],
    ['contacts', [undefined, null, '', NUMBER, {}, [], 7], VOICE_TEXTS.contacts],
    ['contacts', [['123456789'], ['12345678901234567'], [{}], [null, true], [1e20]], VOICE_TEXTS.noNumbers],
    ['retry_interval', [0, 1, '60s', 60.5, -5, true, {}, [60], 'sixty'], VOICE_TEXTS.interval],
    ['retries', [-1, 6, 1.5, 'two', true, {}, [1]], VOICE_TEXTS.retries],
    ['voiceplan', [0, 14, '15s', '30.0', true, {}, [15]], VOICE_TEXTS.plan],
    ['caller_id', ['123456789', '12345678901234567', 'none', true, {}, []], 'caller_id must be 10 to 16 digits'],
    ['schedule_time', ['2026-02-30 00:00:00', 7, true, {}], VOICE_TEXTS.schedule],
    ['callback_audio', [{}, 'text', 7, true], INCOMPLETE_ITEM],
    ['dtmf_flow', [[], 7, true, 'text'], NOT_JSON],
  ] as [string, unknown[], string][])('%s: %j', (field, values, text) => {
    for (const value of values) expect(faultOf({ [field]: value })).toBe(text);
  });

  it('takes 5000 characters, and no more; a text beside audio_url is not looked at', () => {
    expect(requestOf({ message: '😀'.repeat(5_000) }).source).toHaveProperty('text');
    expect(faultOf({ message: '😀'.repeat(5_001) })).toBe(VOICE_TEXTS.tooLong);
    expect(faultOf({ message: 'a'.repeat(5_001), contacts: [] })).toBe(VOICE_TEXTS.tooLong);
    const audio_url = 'https://files.example/a.wav';
    expect(requestOf({ message: 'a'.repeat(5_001), audio_url }).source).toEqual({ url: audio_url });
    expect(requestOf({ message: undefined, audio_url }).source).toEqual({ url: audio_url });
  });

  it('takes any language that is a text', () => {
    for (const [language, kept] of [
      ['Hindi', 'Hindi'],
      [' xx ', 'xx'],
      [{}, null],
      ['', null],
      ['x'.repeat(100_000), 'x'.repeat(64)],
    ] as const) {
      expect(requestOf({ language }).source).toEqual({ text: 'Hello', language: kept });
    }
  });
});

describe('callback_audio', () => {
  const item = { dtmf: '1', selected_number: NUMBER };

  it.each([
    [[null], INCOMPLETE_ITEM],
    [[{ dtmf: '1' }], INCOMPLETE_ITEM],
    [[item, { selected_number: NUMBER }], INCOMPLETE_ITEM],
    [[{ dtmf: '', selected_number: NUMBER }], INCOMPLETE_ITEM],
    [[{ dtmf: true, selected_number: NUMBER }], INCOMPLETE_ITEM],
    [[{ dtmf: '12', selected_number: NUMBER }], 'callback_audio[0].dtmf must be one of 0-9, * and #'],
    [[item, { dtmf: '2', selected_number: '123' }], 'callback_audio[1].selected_number must be 10 to 16 digits'],
    [[item, { ...item }], 'callback_audio[1].dtmf is used twice'],
  ])('%j: %s', (callback_audio, text) => {
    expect(faultOf({ callback_audio })).toBe(text);
    expect(faultOf({ callback_audio, dtmf_flow: '{' })).toBe(text);
  });

  it('makes transfers; dtmf_flow wins on a digit that both have', () => {
    const one = { digit: '1', action: 'transfer', numbers: [NUMBER] };
    expect(requestOf({ callback_audio: [item] }).menu).toEqual([one]);
    expect(requestOf({ callback_audio: [] }).menu).toBeNull();
    const dtmf_flow = {
      rows: [
        { digit: '2', action: 'record' },
        { digit: '1', action: 'record' },
      ],
    };
    const three = { dtmf: 3, selected_number: NUMBER };
    expect(requestOf({ callback_audio: [item, three], dtmf_flow }).menu).toEqual([
      { digit: '2', action: 'record' },
      { digit: '1', action: 'record' },
      { digit: '3', action: 'transfer', numbers: [NUMBER] },
    ]);
  });

  it('forwards only where the operator allows it', () => {
    const allowedPrefixes = ['44'];
    const answer = readVoiceRequest({ ...GOOD, callback_audio: [item] }, { allowedPrefixes });
    expect(answer).toEqual({ fault: 'callback_audio[0].selected_number is not allowed' });
  });
});

describe('anything at all', () => {
  it('is a request or a text', () => {
    const fields = fc.record(
      Object.fromEntries(
        [
          ['broadcast_name', 'x'],
          ['message', 'x'],
          ['audio_url', 'https://a.example/b'],
          ['contacts', [NUMBER]],
          ['voiceplan', '15'],
          ['retries', 1],
          ['retry_interval', 5],
          ['callback_audio', []],
          ['dtmf_flow', null],
          ['caller_id', NUMBER],
          ['schedule_time', ''],
        ].map(([name, good]) => [name, fc.oneof(fc.constant(good), fc.anything())]),
      ),
    );
    fc.assert(
      fc.property(fields, (body) => {
        const result = readVoiceRequest(body, RULES);
        return 'request' in result ? result.request.receivers.length > 0 : result.fault !== '';
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('blocksOf', () => {
  it.each([
    [0, 1, 1],
    [1, 1, 1],
    [15_000, 1, 1],
    [15_001, 2, 1],
    [30_000, 2, 1],
    [30_001, 3, 2],
    [45_000, 3, 2],
    [60_000, 4, 2],
    [60_001, 5, 3],
    [75_000, 5, 3],
    [90_000, 6, 3],
    [90_001, 7, 4],
    [105_000, 7, 4],
    [105_010, 8, 4],
    [120_000, 8, 4],
  ])('%i ms: %i blocks on the 15-second plan, %i on the 30-second plan', (milliseconds, fifteen, thirty) => {
    expect([blocksOf(milliseconds, 15), blocksOf(milliseconds, 30)]).toEqual([fifteen, thirty]);
  });
});
