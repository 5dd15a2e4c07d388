import { type DocumentedError, invalid, fieldErrors } from '../../../kernel/errors.js';
import { tooManyContacts } from '../../../kernel/contacts.js';
import { audioErrors } from '../../audio/index.js';
import { creditErrors } from '../../credits/index.js';
import { acceptanceErrors } from '../../engine/index.js';
import { GUARD_ERRORS, guardErrors } from '../../guard/index.js';
import { storageErrors } from '../../quotas/index.js';
import { senderErrors } from '../../sender-ids/index.js';
import { SIMULATION_TEXTS } from './calls/simulation.js';
import { INCOMPLETE_ITEM, NOT_JSON, usedTwice } from './domain/menu.js';
import { CALL_NUMBER_TEXTS } from './domain/call-number.js';
import { VOICE_TEXTS } from './domain/voice-request.js';

/** Fields of the texts that do not begin with their field. */
const FIELD_OF: Readonly<Record<string, string>> = {
  [VOICE_TEXTS.noAudio]: 'message',
  [VOICE_TEXTS.tooLong]: 'message',
  [VOICE_TEXTS.contacts]: 'contacts',
  [VOICE_TEXTS.noNumbers]: 'contacts',
  [INCOMPLETE_ITEM]: 'callback_audio',
};

const fieldOf = (text: string): string => FIELD_OF[text] ?? /^[\w.[\]]+/.exec(text)?.[0] ?? '';

/** Errors of voice sends; their texts come from the readers (reference/voice#order, literally). */
export const voiceErrors = {
  invalid: invalid('voice_request', (text: string) => text).with({ field: fieldOf }),
};

const row = (text: string, reason: string): DocumentedError => voiceErrors.invalid.shown(text).because(reason);

const MENU_ERRORS = [
  row(INCOMPLETE_ITEM, 'malformed callback_audio'),
  row(usedTwice('callback_audio[0].dtmf'), 'a fault inside callback_audio, with its path'),
  row(NOT_JSON, 'dtmf_flow is no object, nor the JSON text of one'),
  row(
    fieldErrors.required.shown('dtmf_flow.rows[1].number').text,
    'a fault inside dtmf_flow, with its path: something missing, a digit used twice, an unknown action, over 3 fallback_numbers, 5 menus or 100 rows, no URL, a number that is not 10 to 16 digits or not allowed',
  ),
];

const CLIP = 'dtmf_flow.rows[1].audio';

const AUDIO_ERRORS = [
  audioErrors.notFetched,
  audioErrors.notPlayable,
  audioErrors.notFetched.shown(CLIP).because('a clip of the menu, with its path, like audio_url'),
  audioErrors.notPlayable.shown(CLIP).because('the same'),
  audioErrors.tooLong.shown(CLIP).because('the same'),
  audioErrors.tooMuch,
  audioErrors.nothingToSay,
  audioErrors.speechFailed.because('the speech could not be made'),
  audioErrors.tooLong.because('generated or supplied audio is too long'),
];

const BODY_ERRORS = [
  row(VOICE_TEXTS.noAudio, 'neither message nor audio_url'),
  row(VOICE_TEXTS.tooLong, 'message over 5000 characters'),
  row(VOICE_TEXTS.contacts, 'missing, empty, or no array'),
  row(VOICE_TEXTS.interval, 'another value'),
  row(VOICE_TEXTS.noNumbers, 'none has 10 to 16 digits'),
  row(VOICE_TEXTS.retries, 'another value'),
  row(`caller_id ${CALL_NUMBER_TEXTS.digits}`, 'another value'),
];
const PLAN_ERROR = row(VOICE_TEXTS.plan, 'another value');

/** Errors of a voice send (reference/voice#order), in checking order. */
export const VOICE_SEND_ERRORS: readonly DocumentedError[] = [
  row(VOICE_TEXTS.name, 'missing'),
  ...BODY_ERRORS,
  row(VOICE_TEXTS.schedule, 'neither YYYY-MM-DD HH:MM:SS nor ISO 8601; a past moment is refused after dtmf_flow'),
  PLAN_ERROR,
  ...MENU_ERRORS,
  acceptanceErrors.late,
  acceptanceErrors.lateAfter,
  acceptanceErrors.lateAlone,
  senderErrors.notApproved.because('caller_id of an account with require_sender'),
  ...AUDIO_ERRORS,
  audioErrors.noEngine,
  acceptanceErrors.noRoute,
  acceptanceErrors.tooManyChains,
  ...GUARD_ERRORS,
  guardErrors.calls,
  creditErrors.insufficientForCalls,
  storageErrors.full,
];

/** Errors of the quote of a voice send (reference/voice#quote), in checking order. */
export const VOICE_QUOTE_ERRORS: readonly DocumentedError[] = [
  tooManyContacts,
  ...BODY_ERRORS,
  PLAN_ERROR,
  ...MENU_ERRORS,
  ...AUDIO_ERRORS,
];

export const SPEECH_ERRORS: readonly DocumentedError[] = [
  row(VOICE_TEXTS.noAudio, 'no message'),
  row(VOICE_TEXTS.tooLong, 'message over 5000 characters'),
  audioErrors.nothingToSay,
  audioErrors.speechFailed.because('the speech could not be made'),
  audioErrors.tooLong.because('the speech is too long'),
];

export const SIMULATION_ERRORS: readonly DocumentedError[] = [
  ...MENU_ERRORS,
  row(SIMULATION_TEXTS.digits, 'no list of keys'),
  row(SIMULATION_TEXTS.forwards, 'no numbers with outcomes'),
];
