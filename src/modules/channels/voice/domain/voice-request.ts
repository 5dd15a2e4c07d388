import { isSchedule } from '../../../../kernel/clock.js';
import { fieldErrors } from '../../../../kernel/errors.js';
import { codePoints, cutCodePoints, readText, textOrNull } from '../../../../kernel/text.js';
import { type NumberRules, readCallNumber, voiceReceivers } from './call-number.js';
import { type MenuOrigins, type MenuRow, merged, readCallbackAudio, readMenu } from './menu.js';

/** Billing blocks, seconds (reference/voice#prices). */
export const VOICE_PLANS = [15, 30] as const;
export type VoicePlan = (typeof VOICE_PLANS)[number];

export const FEWEST_BLOCKS = 1;

/** Billing blocks of an audio: rounded up, at least 1 (reference/voice#prices). @param plan seconds of a block */
export const blocksOf = (milliseconds: number, plan: VoicePlan): number =>
  Math.max(FEWEST_BLOCKS, Math.ceil(milliseconds / (plan * 1_000)));

/** A voice send as the client sent it; each value may be of any type. */
export type VoiceBody = Record<string, unknown>;

export type AudioSource = { text: string; language: string | null } | { url: string };

/** A voice send that passed the rows about the request alone. */
export interface VoiceRequest {
  broadcastName: string;
  /** digits; null = the operator's default */
  callerId: string | null;
  source: AudioSource;
  /** digits, in order, without duplicates */
  receivers: string[];
  plan: VoicePlan;
  menu: MenuRow[] | null;
  retries: number;
  retryIntervalSeconds: number;
  /** `schedule_time` as given, in a known form */
  schedule: unknown;
}

/** The texts of reference/voice#order, literally. */
export const VOICE_TEXTS = {
  name: fieldErrors.required.shown('broadcast_name').text,
  noAudio: 'Either audio_file_id or message is required',
  tooLong: 'Text for voice message cannot exceed 5000 characters.',
  contacts: "Provide an array of phone numbers in 'contacts'",
  interval: 'retry_interval must be one of: 5, 10, 30, 60, 180, 300',
  noNumbers: 'No valid numbers were found in contacts.',
  retries: 'retries must be between 0 and 5',
  plan: 'voiceplan must be one of: 15, 30',
  schedule: fieldErrors.invalid.shown('schedule_time').text,
} as const;

const LONGEST_TEXT = 5_000;
const NAME_LENGTH = 255;
/** No name or code of a language is longer; unknown languages mean English. */
const LANGUAGE_LENGTH = 64;
const INTERVALS: readonly string[] = ['5', '10', '30', '60', '180', '300'];
const DEFAULT_INTERVAL = '60';

/** Validates a voice send by reference/voice#order, without past times, audio and credits. @returns it, or the first fault */
export function readVoiceRequest(body: VoiceBody, rules: NumberRules): { request: VoiceRequest } | { fault: string } {
  const name = textOrNull(body['broadcast_name']);
  if (!name) return { fault: VOICE_TEXTS.name };
  const source = readSource(body);
  if (typeof source === 'string') return { fault: source };
  const contacts: unknown = body['contacts'];
  if (!Array.isArray(contacts) || contacts.length === 0) return { fault: VOICE_TEXTS.contacts };
  const interval = oneOf(body['retry_interval'], DEFAULT_INTERVAL, INTERVALS);
  if (interval === null) return { fault: VOICE_TEXTS.interval };
  const receivers = voiceReceivers(contacts as unknown[]);
  if (receivers.length === 0) return { fault: VOICE_TEXTS.noNumbers };
  const retries = oneOf(body['retries'], '0', ['0', '1', '2', '3', '4', '5']);
  if (retries === null) return { fault: VOICE_TEXTS.retries };
  const caller = readText(body['caller_id']).kind === 'empty' ? null : readCallNumber(body['caller_id']);
  if (caller && 'fault' in caller) return { fault: `caller_id ${caller.fault}` };
  if (!isSchedule(body['schedule_time'])) return { fault: VOICE_TEXTS.schedule };
  const plan = oneOf(body['voiceplan'], String(VOICE_PLANS[0]), VOICE_PLANS.map(String));
  if (plan === null) return { fault: VOICE_TEXTS.plan };
  const menu = readMenus(body, rules);
  if ('fault' in menu) return menu;
  return {
    request: {
      broadcastName: cutCodePoints(name, NAME_LENGTH),
      callerId: caller?.digits ?? null,
      source,
      receivers,
      plan: Number(plan) as VoicePlan,
      menu: menu.rows,
      retries: Number(retries),
      retryIntervalSeconds: Number(interval),
      schedule: body['schedule_time'],
    },
  };
}

/** Merges `dtmf_flow` and `callback_audio` into one first menu; null = none. */
export function readMenus(
  body: VoiceBody,
  rules: NumberRules,
): { rows: MenuRow[] | null; origins: MenuOrigins } | { fault: string } {
  const callbacks = readCallbackAudio(body['callback_audio'], rules);
  if ('fault' in callbacks) return callbacks;
  const flow = readMenu(body['dtmf_flow'], rules);
  if ('fault' in flow) return flow;
  const { rows, origins } = merged(flow.rows ?? [], callbacks.rows);
  return { rows: rows.length === 0 ? null : rows, origins };
}

/** When both are given, audio_url is used and the message ignored (reference/voice#voicesend). */
export function readSource(body: VoiceBody): AudioSource | string {
  const url = readText(body['audio_url']);
  if (url.kind === 'text') return { url: url.value.trim() };
  if (url.kind === 'fault') return VOICE_TEXTS.noAudio;
  const text = textOrNull(body['message']);
  if (text === null) return VOICE_TEXTS.noAudio;
  if (codePoints(text) > LONGEST_TEXT) return VOICE_TEXTS.tooLong;
  const language = textOrNull(body['language'])?.trim();
  return { text, language: language === undefined ? null : cutCodePoints(language, LANGUAGE_LENGTH) };
}

/** A value of a list, as text; null = not in the list. @param fallback for an empty value */
function oneOf(value: unknown, fallback: string, allowed: readonly string[]): string | null {
  const read = readText(value);
  if (read.kind === 'empty') return fallback;
  const text = read.kind === 'text' ? read.value.trim() : '';
  return allowed.includes(text) ? text : null;
}
