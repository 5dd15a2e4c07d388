import { describe, expect, it } from 'vitest';
import { simulate, type Simulation, readSimulation, SIMULATION_TEXTS } from './simulation.js';

const CLIP = 'https://files.example/clip.mp3';
const NUMBERS = ['911111111111', '912222222222'] as const;
const dtmf_flow = {
  rows: [
    { digit: '1', action: 'transfer', number: NUMBERS[0], fallback_numbers: [NUMBERS[1]] },
    {
      digit: '2',
      action: 'submenu',
      prompt_audio: CLIP,
      rows: [
        { digit: '1', action: 'audio', audio: CLIP, after: 'repeat' },
        { digit: '2', action: 'audio', audio: CLIP },
        { digit: '3', action: 'record' },
        { digit: '#', action: 'back' },
      ],
    },
  ],
};

function run(body: Record<string, unknown>): Simulation {
  const read = readSimulation({ message: 'Press 1 or 2', dtmf_flow, ...body }, { allowedPrefixes: [] });
  if ('fault' in read) throw new Error(read.fault);
  const { audio, menu, origins, callee } = read.request;
  return simulate({ audio, menu, callerId: '', maxSeconds: 600 }, callee, origins);
}
const faultOf = (body: Record<string, unknown>): unknown => readSimulation(body, { allowedPrefixes: [] });

describe('a simulated call', () => {
  const nothing = { hears: null, keys: null, pressed: null, number: null, outcome: null };

  it('says what is heard and pressed, who is called and where it ends', () => {
    expect(run({ digits: ['1'], forwards: { '+91 11111 11111': 'busy' } })).toEqual({
      steps: [
        { ...nothing, at: 'dtmf_flow', does: 'menu', hears: 'Press 1 or 2', keys: '12', pressed: '1' },
        { ...nothing, at: 'dtmf_flow.rows[0]', does: 'dial', number: NUMBERS[0], outcome: 'busy' },
        { ...nothing, at: 'dtmf_flow.rows[0]', does: 'dial', number: NUMBERS[1], outcome: 'completed' },
      ],
      ended: { reason: 'transferred', at: 'dtmf_flow.rows[0]' },
      unused: [],
    });
  });

  it.each([
    ['212', 'played', 'dtmf_flow.rows[1].rows[1]', ''],
    ['2#23', 'recorded', 'dtmf_flow.rows[1].rows[2]', ''],
    ['222', 'played', 'dtmf_flow.rows[1].rows[1]', '2'],
    ['2', 'silence', 'dtmf_flow.rows[1]', ''],
    ['', 'silence', 'dtmf_flow', ''],
    ['99', 'wrong_key', 'dtmf_flow', ''],
    [['', '9', '1'], 'wrong_key', 'dtmf_flow', '1'],
    [['9', ''], 'silence', 'dtmf_flow', ''],
  ])('%j: %s at %s', (digits, reason, at, unused) => {
    const simulation = run({ digits });
    expect(simulation.ended).toEqual({ reason, at });
    expect(simulation.unused.join('')).toBe(unused);
  });

  it('ends untransferred when no number answers', () => {
    const forwards = { [NUMBERS[0]]: 'no_answer', [NUMBERS[1]]: 'failed' };
    expect(run({ digits: '1', forwards }).ended).toEqual({ reason: 'not_transferred', at: 'dtmf_flow.rows[0]' });
  });

  it('names the rows of callback_audio by their own place', () => {
    const callback_audio = [
      { dtmf: '1', selected_number: NUMBERS[1] },
      { dtmf: '5', selected_number: NUMBERS[1] },
    ];
    expect(run({ callback_audio, digits: '5' }).ended).toEqual({ reason: 'transferred', at: 'callback_audio[1]' });
    expect(run({ callback_audio, digits: '1' }).ended.at).toBe('dtmf_flow.rows[0]');
    const alone = run({ callback_audio, dtmf_flow: null, digits: '1' });
    expect([alone.steps[0]?.at, alone.ended.at]).toEqual(['callback_audio', 'callback_audio[0]']);
  });

  it('without a menu plays the audio', () => {
    const simulation = run({ dtmf_flow: null, digits: '1', audio_url: CLIP });
    expect(simulation.steps).toEqual([{ ...nothing, at: 'audio', does: 'play', hears: CLIP }]);
    expect(simulation).toMatchObject({ ended: { reason: 'played', at: 'audio' }, unused: ['1'] });
    expect(run({ dtmf_flow: null, message: undefined }).steps[0]?.hears).toBeNull();
  });
});

describe('the error table of a simulation', () => {
  it('is that of the menus, then digits and forwards', () => {
    const wrong = { callback_audio: 7, dtmf_flow: '{', digits: 'x', forwards: 7 };
    expect(faultOf(wrong)).toEqual({ fault: 'Each callback_audio item must contain dtmf and selected_number' });
    expect(faultOf({ ...wrong, callback_audio: null })).toEqual({ fault: 'dtmf_flow is not valid JSON' });
    expect(faultOf({ ...wrong, callback_audio: null, dtmf_flow })).toEqual({ fault: SIMULATION_TEXTS.digits });
    expect(faultOf({ dtmf_flow, forwards: 7 })).toEqual({ fault: SIMULATION_TEXTS.forwards });
  });

  it.each([7, true, {}, 'a', '1-2', ['12'], [true], Array<string>(201).fill('1'), '1'.repeat(201)])(
    'digits %j',
    (digits) => {
      expect(faultOf({ dtmf_flow, digits })).toEqual({ fault: SIMULATION_TEXTS.digits });
    },
  );

  it.each([7, 'busy', [], { [NUMBERS[0]]: 'asleep' }, { [NUMBERS[0]]: 7 }])('forwards %j', (forwards) => {
    expect(faultOf({ dtmf_flow, forwards })).toEqual({ fault: SIMULATION_TEXTS.forwards });
  });

  it('takes numbers as keys, and 200 of them', () => {
    expect(faultOf({ dtmf_flow, digits: [1, 2, null, ''] })).toHaveProperty('request');
    expect(faultOf({ dtmf_flow, digits: '1'.repeat(200) })).toHaveProperty('request');
  });
});
