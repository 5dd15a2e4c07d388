import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CallEvent, CallScripts, type CallStep } from '../../src/modules/providers/index.js';
import { FORWARD_OUTCOMES } from '../../src/modules/channels/voice/calls/simulation.js';
import { fuzz, hostileValue } from '../support/fuzz.js';
import type { Member } from '../support/sms.js';
import { AudioServer, openVoice, type Voice } from '../support/voice.js';

const KEYS = Array.from('0123456789*#');
const NUMBERS = ['493000000001', '493000000002', '493000000003', '493000000004'];
const WALKS = 3;

interface Row {
  digit: string;
  action: string;
  [field: string]: unknown;
}

/** A menu as a client writes it; the clips are filled in later. @param depth of this menu, the first is 1 */
function menu(depth: number): fc.Arbitrary<Row[]> {
  const action = fc.oneof(
    { weight: 3, arbitrary: fc.constant('submenu') },
    { weight: 6, arbitrary: fc.constantFrom('transfer', 'audio', 'audio', 'record', 'back') },
  );
  const row = fc
    .tuple(
      action,
      fc.uniqueArray(fc.constantFrom(...NUMBERS), { minLength: 1, maxLength: 4 }),
      fc.constantFrom('hangup', 'repeat', 'back'),
    )
    .chain(([wanted, [number, ...fallbacks], after]): fc.Arbitrary<Omit<Row, 'digit'>> => {
      if (wanted === 'submenu' && depth < 5)
        return menu(depth + 1).map((rows) => ({ action: 'submenu', prompt_audio: '', rows }));
      if (wanted === 'back' && depth > 1) return fc.constant({ action: 'back' });
      if (wanted === 'audio') return fc.constant({ action: 'audio', audio: '', after });
      if (wanted === 'record') return fc.constant({ action: 'record' });
      return fc.constant({ action: 'transfer', number, fallback_numbers: fallbacks });
    });
  return fc
    .tuple(
      fc.uniqueArray(fc.constantFrom(...KEYS), { minLength: 1, maxLength: depth === 1 ? 4 : 3 }),
      fc.array(row, { minLength: 4, maxLength: 4 }),
    )
    .map(([digits, rows]) => digits.map((digit, at) => ({ digit, ...rows[at] }) as Row));
}

interface Walk {
  digits: string[];
  outcomes: string[];
}

const walk: fc.Arbitrary<Walk> = fc.record({
  digits: fc
    .array(fc.oneof({ weight: 6, arbitrary: fc.nat() }, { weight: 1, arbitrary: fc.constant(-1) }), { maxLength: 40 })
    .map((picks) => picks.map((pick) => (pick < 0 ? '' : (KEYS[pick % KEYS.length] ?? '')))),
  outcomes: fc.array(fc.constantFrom(...FORWARD_OUTCOMES), { minLength: 4, maxLength: 4 }),
});

const countOf = (rows: readonly Row[]): number =>
  rows.reduce((sum, row) => sum + 1 + countOf((row['rows'] as Row[] | undefined) ?? []), 0);

/** Keys that a callee would press who hears the menu: mostly those that lead on. */
const tempted = (pressed: string, keys: string): string =>
  pressed === '' || keys === '' || pressed > '7' ? pressed : (keys[Number(pressed) % keys.length] ?? pressed);

describe('menus of keys gone mad', () => {
  let voice: Voice;
  let audio: AudioServer;
  let member: Member;
  let scripts: CallScripts;
  let calls = 0;

  beforeAll(async () => {
    voice = await openVoice({ VOICE_AUTO_APPROVE: true, VOICE_DEFAULT_CALLER_ID: '918000000001' });
    audio = await AudioServer.open();
    member = await voice.rich(100_000);
    scripts = voice.part(CallScripts);
  });
  afterAll(async () => {
    await voice.stop();
    await audio.close();
  });

  /** The same menus with clips of our own: one length a row, so that each can be told by its address. */
  function withClips(rows: readonly Row[], next: { clip: number }): Row[] {
    return rows.map((row) => {
      if (row.action === 'audio') return { ...row, audio: audio.url((next.clip = (next.clip % 8) + 1) * 10) };
      if (row.action !== 'submenu') return row;
      return {
        ...row,
        prompt_audio: audio.url((next.clip = (next.clip % 8) + 1) * 10),
        rows: withClips(row['rows'] as Row[], next),
      };
    });
  }

  /** What a call is told, one question after another, until it ends. @returns the steps and the keys that were pressed */
  async function called(
    ref: string,
    routeId: number,
    { digits, outcomes }: Walk,
  ): Promise<{ steps: CallStep[]; pressed: string[]; forwards: Record<string, string> }> {
    const steps: CallStep[] = [];
    const pressed: string[] = [];
    const forwards: Record<string, string> = Object.fromEntries(
      NUMBERS.map((number, at) => [number, outcomes[at] ?? 'busy']),
    );
    const callId = `walk-${++calls}`;
    let event: CallEvent = { kind: 'answered' };
    for (let step = 0; ; step++) {
      const asked = { routeId, ref, callId };
      const answer: CallStep = await scripts.next(asked, step, event);
      expect(await scripts.next(asked, step, event)).toEqual(answer);
      if (answer.do === 'hangup') return { steps, pressed, forwards };
      steps.push(answer);
      if (answer.do === 'play' && answer.then === 'hangup') return { steps, pressed, forwards };
      if (answer.do === 'menu') {
        const key = tempted(digits[pressed.length] ?? '', answer.digits);
        pressed.push(key);
        event = { kind: 'digits', digits: key };
      } else if (answer.do === 'dial') {
        event = { kind: 'dialed', outcome: forwards[answer.number] as 'busy', seconds: 1 };
      } else event = answer.do === 'record' ? { kind: 'recorded', url: '', seconds: 1 } : { kind: 'played' };
      expect(steps.length).toBeLessThan(400);
    }
  }

  it('are walked by a call as the simulation says', async () => {
    const trees = menu(1).filter((rows) => countOf(rows) <= 60);
    await fuzz(
      fc.record({ rows: trees, walks: fc.array(walk, { minLength: WALKS, maxLength: WALKS }) }),
      12,
      async ({ rows, walks }) => {
        const dtmf_flow = { rows: withClips(rows, { clip: 0 }) };
        const contacts = walks.map((_, at) => `9196000${String(calls).padStart(4, '0')}${at}`);
        const audio_url = audio.url(200);
        const sent = await voice.send(member, { broadcast_name: 'Mad', audio_url, contacts, dtmf_flow });
        expect(sent.status, JSON.stringify(sent.body)).toBe(200);
        const [campaign] = await voice.dataSource.query<{ id: number; route_id: number }[]>(
          'SELECT id, route_id FROM campaigns WHERE request_id = ?',
          [sent.body['request_id']],
        );
        for (const [at, made] of walks.entries()) {
          const { steps, pressed, forwards } = await called(`${campaign?.id}-${at + 1}`, campaign?.route_id ?? 0, made);
          const simulated = await voice.post('/v6/api/v1/voice/simulate', member, {
            audio_url,
            dtmf_flow,
            digits: pressed,
            forwards,
          });
          expect(simulated.status, JSON.stringify(simulated.body)).toBe(200);
          const shown = (simulated.body['data'] ?? simulated.body) as {
            steps: { does: string; keys: string | null; number: string | null; pressed: string | null }[];
            unused_digits: string[];
          };
          expect(shown.steps.map(({ does, keys, number }) => [does, keys, number])).toEqual(
            steps.map((step) => [
              step.do,
              step.do === 'menu' ? step.digits : null,
              step.do === 'dial' ? step.number : null,
            ]),
          );
          expect(shown.steps.flatMap((step) => (step.does === 'menu' ? [step.pressed] : []))).toEqual(pressed);
          expect(shown.unused_digits).toEqual([]);
        }
      },
    );
  });

  it('are refused in words when they are none, by simulation and send alike', async () => {
    const odd = fc.oneof(
      hostileValue,
      fc.record({ rows: hostileValue }),
      fc.record({
        rows: fc.array(
          fc.record(
            {
              digit: hostileValue,
              action: fc.oneof(fc.constantFrom('submenu', 'audio', 'transfer', 'constructor'), hostileValue),
              rows: hostileValue,
              audio: hostileValue,
              number: hostileValue,
            },
            { requiredKeys: [] },
          ),
          { maxLength: 3 },
        ),
      }),
      fc.integer({ min: 6, max: 40 }).map((depth) => {
        let rows: unknown[] = [{ digit: '1', action: 'record' }];
        for (let level = 0; level < depth; level++)
          rows = [{ digit: '1', action: 'submenu', prompt_audio: 'http://127.0.0.1:1/x.wav', rows }];
        return { rows };
      }),
    );
    await fuzz(odd, 40, async (dtmf_flow) => {
      const body = { audio_url: audio.url(100), dtmf_flow };
      const simulated = await voice.post('/v6/api/v1/voice/simulate', member, { ...body, digits: '1#9' });
      const sent = await voice.send(member, { ...body, broadcast_name: 'Odd', contacts: ['919600099999'] });
      for (const { status, body: said } of [simulated, sent])
        expect([200, 400], JSON.stringify([dtmf_flow, said])).toContain(status);
      // What cannot be fetched is found by a send alone.
      if (simulated.status === 400) expect(sent.status).toBe(400);
    });
  });
});
