import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CallEvent, CallStep } from '../../../providers/index.js';
import { KEYS, type MenuRow } from '../domain/menu.js';
import { type CallPosition, type CallScript, nextMove, START } from './menu-machine.js';

const AUDIO = 'https://api.example/audio/first.wav';
const SUB = 'https://files.example/sub.mp3';
const CLIP = 'https://files.example/clip.mp3';
const ROWS: MenuRow[] = [
  { digit: '1', action: 'transfer', numbers: ['911111111111', '912222222222', '913333333333'] },
  {
    digit: '2',
    action: 'submenu',
    prompt: SUB,
    rows: [
      { digit: '1', action: 'audio', audio: CLIP, after: 'repeat' },
      { digit: '2', action: 'audio', audio: CLIP, after: 'back' },
      { digit: '3', action: 'audio', audio: CLIP, after: 'hangup' },
      { digit: '4', action: 'record' },
      { digit: '#', action: 'back' },
      { digit: '*', action: 'submenu', prompt: CLIP, rows: [{ digit: '0', action: 'back' }] },
    ],
  },
  { digit: '3', action: 'audio', audio: CLIP, after: 'back' },
];
const script = (menu: MenuRow[] | null = ROWS): CallScript => ({
  audio: AUDIO,
  menu,
  callerId: '918000000000',
  maxSeconds: 600,
});

const pressed = (digits: string): CallEvent => ({ kind: 'digits', digits });
const dialed = (outcome: Extract<CallEvent, { kind: 'dialed' }>['outcome']): CallEvent => ({
  kind: 'dialed',
  outcome,
  seconds: 3,
});
const PLAYED: CallEvent = { kind: 'played' };
const RECORDED: CallEvent = { kind: 'recorded', url: 'https://recordings.example/1', seconds: 4 };

/** The steps that a call goes through, from its answer on. */
function walk(events: CallEvent[], rows: MenuRow[] | null = ROWS): CallStep[] {
  let position: CallPosition = START;
  return [{ kind: 'answered' } as CallEvent, ...events].map((event) => {
    const move = nextMove(script(rows), position, event);
    position = JSON.parse(JSON.stringify(move.position)) as CallPosition; // as the database gives it back
    return move.step;
  });
}

const first: CallStep = { do: 'menu', prompt: AUDIO, digits: '123', timeoutSeconds: 5 };
const sub: CallStep = { do: 'menu', prompt: SUB, digits: '1234#*', timeoutSeconds: 5 };
const dial = (number: string): CallStep => ({ do: 'dial', number, callerId: '918000000000', maxSeconds: 600 });
const play = (then: 'hangup' | 'continue'): CallStep => ({ do: 'play', audio: CLIP, then });
const hangup: CallStep = { do: 'hangup' };

describe('a call', () => {
  it('without a menu plays the audio and ends', () => {
    expect(walk([], null)).toEqual([{ do: 'play', audio: AUDIO, then: 'hangup' }]);
    expect(walk([PLAYED], null).at(-1)).toEqual(hangup);
  });

  it('transfers to the numbers in order until one answers', () => {
    expect(walk([pressed('1'), dialed('busy'), dialed('no_answer'), dialed('completed')])).toEqual([
      first,
      dial('911111111111'),
      dial('912222222222'),
      dial('913333333333'),
      hangup,
    ]);
    expect(walk([pressed('1'), dialed('failed'), dialed('busy'), dialed('busy')]).at(-1)).toEqual(hangup);
    expect(walk([pressed('1'), dialed('completed')]).at(-1)).toEqual(hangup);
  });

  it('goes into submenus and back', () => {
    expect(walk([pressed('2'), pressed('*'), pressed('0'), pressed('#'), pressed('2')])).toEqual([
      first,
      sub,
      { do: 'menu', prompt: CLIP, digits: '0', timeoutSeconds: 5 },
      sub,
      first,
      sub,
    ]);
  });

  it('plays clips and does what comes after', () => {
    expect(walk([pressed('2'), pressed('1'), PLAYED])).toEqual([first, sub, play('continue'), sub]);
    expect(walk([pressed('2'), pressed('2'), PLAYED])).toEqual([first, sub, play('continue'), first]);
    expect(walk([pressed('2'), pressed('3')])).toEqual([first, sub, play('hangup')]);
    expect(walk([pressed('3'), PLAYED])).toEqual([first, play('continue'), first]);
  });

  it('records, and ends', () => {
    expect(walk([pressed('2'), pressed('4'), RECORDED])).toEqual([
      first,
      sub,
      { do: 'record', maxSeconds: 120 },
      hangup,
    ]);
  });

  it.each(['', '9', '12', 'x'])('repeats the prompt once for %j, then hangs up', (wrong) => {
    expect(walk([pressed(wrong), pressed('')])).toEqual([first, first, hangup]);
    expect(walk([pressed('2'), pressed(wrong), pressed('9')])).toEqual([first, sub, sub, hangup]);
    expect(walk([pressed(wrong), pressed('2'), pressed(''), pressed('#')])).toEqual([first, first, sub, sub, first]);
  });

  it('ends at an event that does not fit, and stays at its end', () => {
    expect(nextMove(script(), START, PLAYED).step).toEqual(hangup);
    expect(walk([PLAYED])).toEqual([first, hangup]);
    expect(walk([pressed('1'), pressed('1'), dialed('busy')]).slice(2)).toEqual([hangup, hangup]);
    expect(walk([pressed('2'), pressed('4'), PLAYED]).at(-1)).toEqual(hangup);
  });

  it('ends for every menu, however it is pressed: a silent callee hears two prompts at the most', () => {
    const rows = fc.letrec<{ rows: MenuRow[]; row: MenuRow }>((tie) => ({
      rows: fc.uniqueArray(tie('row'), { minLength: 1, maxLength: 5, selector: ({ digit }) => digit }),
      row: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        fc.record({ digit: fc.constantFrom(...KEYS), action: fc.constantFrom('record', 'back') }),
        fc.record({
          digit: fc.constantFrom(...KEYS),
          action: fc.constant('audio'),
          audio: fc.constant(CLIP),
          after: fc.constantFrom('hangup', 'repeat', 'back'),
        }),
        fc.record({
          digit: fc.constantFrom(...KEYS),
          action: fc.constant('transfer'),
          numbers: fc.array(fc.constant('911111111111'), { minLength: 1, maxLength: 4 }),
        }),
        fc.record({
          digit: fc.constantFrom(...KEYS),
          action: fc.constant('submenu'),
          prompt: fc.constant(SUB),
          rows: tie('rows'),
        }),
      ),
    })).rows;
    const event = fc.oneof(
      fc.constantFrom(...KEYS, '').map(pressed),
      fc.constantFrom('completed', 'busy', 'no_answer', 'failed').map((outcome) => dialed(outcome as 'busy')),
      fc.constantFrom(PLAYED, RECORDED, { kind: 'answered' } as CallEvent),
    );
    fc.assert(
      fc.property(rows, fc.array(event, { maxLength: 30 }), (menu, events) => {
        let { position, step } = nextMove(script(menu), START, { kind: 'answered' });
        const go = (next: CallEvent): void => {
          ({ position, step } = nextMove(script(menu), position, next));
        };
        for (const next of events) go(next);
        let prompts = 0;
        for (let silent = 0; step.do !== 'hangup' && !(step.do === 'play' && step.then === 'hangup'); silent++) {
          if (silent > 20) return false;
          if (step.do === 'menu') {
            prompts += 1;
            go(pressed(''));
          } else go(step.do === 'dial' ? dialed('busy') : step.do === 'record' ? RECORDED : PLAYED);
        }
        return prompts <= 2;
      }),
      { numRuns: 500 },
    );
  });
});
