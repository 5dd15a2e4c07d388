import { isObject } from '../../../../kernel/json-values.js';
import { digitsOf } from '../../../../kernel/contacts.js';
import { readText, textOrNull } from '../../../../kernel/text.js';
import type { CallEvent, CallStep } from '../../../providers/index.js';
import type { NumberRules } from '../domain/call-number.js';
import { isKey, type MenuOrigins, type MenuRow, rowsAt } from '../domain/menu.js';
import { type VoiceBody, readMenus } from '../domain/voice-request.js';
import { type CallPosition, type CallScript, nextMove, START } from './menu-machine.js';

type ForwardOutcome = Extract<CallEvent, { kind: 'dialed' }>['outcome'];
export const FORWARD_OUTCOMES = ['completed', 'busy', 'no_answer', 'failed'] as const satisfies ForwardOutcome[];

interface Callee {
  /** keys in order, '' = silence; the callee is silent afterwards */
  digits: readonly string[];
  /** outcomes of forwarded legs by number; other numbers answer */
  forwards: ReadonlyMap<string, ForwardOutcome>;
}

export interface SimulatedStep {
  /** path of the current menu or row, such as `dtmf_flow.rows[1].rows[0]`; the first menu is `dtmf_flow` */
  at: string;
  does: CallStep['do'];
  /** URL or text that the callee hears; null = nothing */
  hears: string | null;
  keys: string | null;
  /** key pressed in a menu; '' = silence; null elsewhere */
  pressed: string | null;
  number: string | null;
  outcome: ForwardOutcome | null;
}

export type SimulatedEnd = 'played' | 'transferred' | 'not_transferred' | 'recorded' | 'silence' | 'wrong_key';

export interface Simulation {
  steps: SimulatedStep[];
  ended: { reason: SimulatedEnd; at: string };
  unused: string[];
}

const AUDIO = 'audio';

/** Simulates a call; two silences end every menu. @param origins request paths of the menu's rows */
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
    at = move.position.at === 'end' ? pathOf(script, origins, position, event) : positionOf(origins, move.position);
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

function rowName(origins: MenuOrigins, path: readonly number[]): string {
  const [first, ...rest] = path;
  if (first === undefined) return origins.flowRows > 0 ? 'dtmf_flow' : 'callback_audio';
  const callback = origins.callbackRows[first - origins.flowRows];
  const start = callback === undefined ? `dtmf_flow.rows[${first}]` : `callback_audio[${callback}]`;
  return rest.reduce((name, index) => `${name}.rows[${index}]`, start);
}

function positionOf(origins: MenuOrigins, position: CallPosition): string {
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

function pathOf(script: CallScript, origins: MenuOrigins, position: CallPosition, event: CallEvent): string {
  if (position.at !== 'menu' || event.kind !== 'digits') return positionOf(origins, position);
  const rows: readonly MenuRow[] = rowsAt(script.menu ?? [], position.path);
  const index = rows.findIndex(({ digit }) => digit === event.digits);
  return rowName(origins, index < 0 ? position.path : [...position.path, index]);
}

export interface SimulationRequest {
  /** text or URL of the campaign's audio; '' = not given */
  audio: string;
  menu: MenuRow[] | null;
  origins: MenuOrigins;
  callee: Callee;
}

export const SIMULATION_TEXTS = {
  digits: 'digits must be at most 200 keys out of 0-9, * and #, empty for silence',
  forwards: `forwards must name numbers and one of: ${FORWARD_OUTCOMES.join(', ')}`,
} as const;

const MOST_DIGITS = 200;

/** Validates a simulation: the menus as in a send, then the callee. @returns it, or the text of the first fault */
export function readSimulation(
  body: VoiceBody,
  rules: NumberRules,
): { request: SimulationRequest } | { fault: string } {
  const menu = readMenus(body, rules);
  if ('fault' in menu) return menu;
  const digits = readDigits(body['digits']);
  if (!digits) return { fault: SIMULATION_TEXTS.digits };
  const forwards = readForwards(body['forwards']);
  if (!forwards) return { fault: SIMULATION_TEXTS.forwards };
  const audio = textOrNull(body['audio_url']) ?? textOrNull(body['message']) ?? '';
  return { request: { audio, menu: menu.rows, origins: menu.origins, callee: { digits, forwards } } };
}

function readDigits(value: unknown): string[] | null {
  if (value === undefined || value === null) return [];
  const given: unknown = typeof value === 'string' ? Array.from(value.trim()) : value;
  if (!Array.isArray(given) || given.length > MOST_DIGITS) return null;
  const digits: string[] = [];
  for (const entry of given as unknown[]) {
    const read = readText(entry);
    if (read.kind === 'fault') return null;
    const digit = read.kind === 'text' ? read.value.trim() : '';
    if (digit !== '' && !isKey(digit)) return null;
    digits.push(digit);
  }
  return digits;
}

function readForwards(value: unknown): ReadonlyMap<string, ForwardOutcome> | null {
  const forwards = new Map<string, ForwardOutcome>();
  if (value === undefined || value === null) return forwards;
  if (!isObject(value)) return null;
  for (const [number, word] of Object.entries(value)) {
    const outcome = FORWARD_OUTCOMES.find((name) => name === word);
    if (!outcome) return null;
    forwards.set(digitsOf(number), outcome);
  }
  return forwards;
}
