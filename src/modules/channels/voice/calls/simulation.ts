import type { CallEvent, CallStep } from '../../../providers/index.js';
import type { MenuOrigins } from '../domain/callback-audio.js';
import { type MenuRow, rowsAt } from '../domain/menu.js';
import { type CallPosition, type CallScript, nextMove, START } from './menu-machine.js';

/** How the number called in a transfer behaves. */
export type ForwardOutcome = Extract<CallEvent, { kind: 'dialed' }>['outcome'];
export const FORWARD_OUTCOMES = ['completed', 'busy', 'no_answer', 'failed'] as const satisfies ForwardOutcome[];

/** What the imagined callee does. */
export interface Callee {
  /** keys in order, '' = silence; silence once they are used up */
  digits: readonly string[];
  /** what becomes of forwarded legs, by number; any other is answered */
  forwards: ReadonlyMap<string, ForwardOutcome>;
}

/** One thing that happens in the call. */
export interface SimulatedStep {
  /** path of the menu or row that is in charge, such as `dtmf_flow.rows[1].rows[0]`; the first menu is `dtmf_flow` */
  at: string;
  does: CallStep['do'];
  /** address (or text) that the callee hears; null = nothing */
  hears: string | null;
  /** keys that lead on from a menu; null elsewhere */
  keys: string | null;
  /** key pressed in a menu; '' = silence; null elsewhere */
  pressed: string | null;
  /** number that is called; null elsewhere */
  number: string | null;
  /** what became of that number; null elsewhere */
  outcome: ForwardOutcome | null;
}

/** How the call ends. */
export type SimulatedEnd = 'played' | 'transferred' | 'not_transferred' | 'recorded' | 'silence' | 'wrong_key';

export interface Simulation {
  steps: SimulatedStep[];
  ended: { reason: SimulatedEnd; at: string };
  /** keys that were not needed */
  unused: string[];
}

/** Where a call without any menu is, from begin to end. */
const AUDIO = 'audio';

/**
 * Walks a call through its menus without calling anyone. It ends: every menu takes a key, and two silences end the call.
 * @param origins names the rows of a merged first menu by where the client wrote them
 */
export function simulate(script: CallScript, callee: Callee, origins: MenuOrigins): Simulation {
  const steps: SimulatedStep[] = [];
  const left = [...callee.digits];
  let position: CallPosition = START;
  let event: CallEvent = { kind: 'answered' };
  let at = AUDIO;
  for (;;) {
    const move = nextMove(script, position, event);
    const { step } = move;
    if (step.do === 'hangup') return { steps, ended: { reason: endOf(event, steps), at }, unused: left };
    at = move.position.at === 'end' ? pathOf(script, origins, position, event) : placeOf(origins, move.position);
    const pressed = step.do === 'menu' ? (left.shift() ?? '') : null;
    const outcome = step.do === 'dial' ? (callee.forwards.get(step.number) ?? 'completed') : null;
    steps.push({
      at,
      does: step.do,
      hears: (step.do === 'play' ? step.audio : step.do === 'menu' ? step.prompt : null) || null,
      keys: step.do === 'menu' ? step.digits : null,
      pressed,
      number: step.do === 'dial' ? step.number : null,
      outcome,
    });
    if (step.do === 'play' && step.then === 'hangup') return { steps, ended: { reason: 'played', at }, unused: left };
    position = move.position;
    event = eventOf(step, pressed, outcome);
  }
}

function eventOf(step: CallStep, pressed: string | null, outcome: ForwardOutcome | null): CallEvent {
  switch (step.do) {
    case 'menu':
      return { kind: 'digits', digits: pressed ?? '' };
    case 'dial':
      return { kind: 'dialed', outcome: outcome ?? 'completed', seconds: 0 };
    case 'record':
      return { kind: 'recorded', url: '', seconds: 0 };
    default:
      return { kind: 'played' };
  }
}

/** Why the machine hung up: from what happened last. */
function endOf(event: CallEvent, steps: readonly SimulatedStep[]): SimulatedEnd {
  switch (event.kind) {
    case 'dialed':
      return event.outcome === 'completed' ? 'transferred' : 'not_transferred';
    case 'recorded':
      return 'recorded';
    case 'digits':
      return steps.at(-1)?.pressed === '' ? 'silence' : 'wrong_key';
    default:
      return 'played';
  }
}

/** Where a row of a menu stands in the client's request. */
function rowName(origins: MenuOrigins, path: readonly number[]): string {
  const [first, ...rest] = path;
  if (first === undefined) return origins.flowRows > 0 ? 'dtmf_flow' : 'callback_audio';
  const callback = origins.callbackRows[first - origins.flowRows];
  const start = callback === undefined ? `dtmf_flow.rows[${first}]` : `callback_audio[${callback}]`;
  return rest.reduce((name, index) => `${name}.rows[${index}]`, start);
}

function placeOf(origins: MenuOrigins, position: CallPosition): string {
  switch (position.at) {
    case 'menu':
      return rowName(origins, position.path);
    case 'clip':
    case 'transfer':
    case 'recording':
      return rowName(origins, [...position.path, position.row]);
    default:
      return AUDIO;
  }
}

/** The row that a key has chosen, where the machine does not wait for anything in it. */
function pathOf(script: CallScript, origins: MenuOrigins, position: CallPosition, event: CallEvent): string {
  if (position.at !== 'menu' || event.kind !== 'digits') return placeOf(origins, position);
  const rows: readonly MenuRow[] = rowsAt(script.menu ?? [], position.path);
  const index = rows.findIndex(({ digit }) => digit === event.digits);
  return rowName(origins, index < 0 ? position.path : [...position.path, index]);
}
