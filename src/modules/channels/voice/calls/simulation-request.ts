import { isObject } from '../../../../kernel/objects.js';
import { digitsOf } from '../../../../kernel/phone-number.js';
import { readText, textOrNull } from '../../../../kernel/text.js';
import type { MenuOrigins } from '../domain/callback-audio.js';
import type { NumberRules } from '../domain/call-number.js';
import type { MenuRow } from '../domain/menu.js';
import { isKey } from '../domain/menu-reader.js';
import { type RawVoiceRequest, readMenus } from '../domain/voice-request.js';
import { type Callee, FORWARD_OUTCOMES, type ForwardOutcome } from './simulation.js';

/** A simulation that passed its error table. */
export interface SimulationRequest {
  /** what the first prompt plays: the address or the text of the campaign's audio; '' = not given */
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

/**
 * Reads a simulation: the same menus as a send, with the same errors, then what the imagined callee does. Never throws.
 * @returns the request, or the text of the first row that applies
 */
export function readSimulation(
  raw: RawVoiceRequest,
  rules: NumberRules,
): { request: SimulationRequest } | { fault: string } {
  const menu = readMenus(raw, rules);
  if ('fault' in menu) return menu;
  const digits = readDigits(raw['digits']);
  if (!digits) return { fault: SIMULATION_TEXTS.digits };
  const forwards = readForwards(raw['forwards']);
  if (!forwards) return { fault: SIMULATION_TEXTS.forwards };
  const audio = textOrNull(raw['audio_url']) ?? textOrNull(raw['message']) ?? '';
  return { request: { audio, menu: menu.rows, origins: menu.origins, callee: { digits, forwards } } };
}

/** A list of keys, or one text of them. */
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
