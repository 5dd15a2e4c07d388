import type { ErrorRow } from '../../../../platform/http/index.js';
import { KEY_FORM_ROW, KEY_ROWS } from '../../../idempotency/index.js';
import { SIMULATION_TEXTS } from '../calls/simulation-request.js';
import { INCOMPLETE_ITEM } from '../domain/callback-audio.js';
import { NOT_JSON } from '../domain/menu-reader.js';
import { VOICE_TEXTS } from '../domain/voice-request.js';

const BEFORE: ErrorRow[] = [
  { status: 405, message: 'Method not allowed', reason: 'not POST' },
  { status: 413, message: 'Request body is too large', reason: 'body over BODY_LIMIT' },
  { status: 400, message: 'Malformed JSON body', reason: 'no JSON, or deeper than 32 levels' },
  { status: 401, message: 'Invalid Authorization token', reason: 'no valid token in the header' },
  {
    status: 429,
    message: 'Too many requests. Please try again later.',
    reason: 'over the general limit, or too many of the account’s requests speak or fetch audio at once',
  },
];

const MENUS: ErrorRow[] = [
  { status: 400, message: INCOMPLETE_ITEM, reason: 'malformed callback_audio' },
  {
    status: 400,
    message: 'callback_audio[0].dtmf is used twice',
    reason: 'a fault inside callback_audio, with its path',
  },
  { status: 400, message: NOT_JSON, reason: 'dtmf_flow is no object, nor the JSON text of one' },
  {
    status: 400,
    message: 'dtmf_flow.rows[1].number is required',
    reason:
      'a fault inside dtmf_flow, with its path: something missing, a digit used twice, an unknown action, over 3 fallback_numbers, 5 menus or 100 rows, no URL, a number that is not 10 to 16 digits or not allowed',
  },
];

const row = (message: string, reason: string): ErrorRow => ({ status: 400, message, reason });

/** Error table of a voice send (reference/voice#order), in the order in which the rows are judged. */
export const VOICE_ERRORS: ErrorRow[] = [
  ...BEFORE,
  KEY_FORM_ROW,
  row(VOICE_TEXTS.name, 'missing'),
  row(VOICE_TEXTS.noAudio, 'neither message nor audio_url'),
  row(VOICE_TEXTS.tooLong, 'message over 5000 characters'),
  row(VOICE_TEXTS.contacts, 'missing, empty, or no array'),
  row(VOICE_TEXTS.interval, 'another value'),
  row(VOICE_TEXTS.noNumbers, 'none has 10 to 16 digits'),
  row(VOICE_TEXTS.retries, 'another value'),
  row('caller_id must be 10 to 16 digits', 'another value'),
  row(VOICE_TEXTS.schedule, 'neither YYYY-MM-DD HH:MM:SS nor ISO 8601; a past moment is told after dtmf_flow'),
  row(VOICE_TEXTS.plan, 'another value'),
  ...MENUS,
  ...KEY_ROWS,
  row('audio_url could not be fetched', 'unreachable, slow, over 10 MB, or an address that is not allowed'),
  row('audio_url is not a playable audio file', 'no audio, or a format that cannot be played'),
  row('dtmf_flow.rows[1].audio could not be fetched', 'a clip of the menu, with its path, like audio_url'),
  row('dtmf_flow.rows[1].audio is not a playable audio file', 'the same'),
  row('dtmf_flow.rows[1].audio duration cannot exceed 120 seconds', 'the same'),
  row('dtmf_flow has too much audio: at most 50 clips and 20 MB in all', 'all clips of the menu together'),
  row('message contains nothing that can be spoken', 'no speech came of the text'),
  row('Audio duration cannot exceed 120 seconds', 'generated or supplied audio is too long'),
  { status: 503, message: 'Text to speech is not available', reason: 'the speech engine is not installed' },
  { status: 503, message: 'No route available for this channel', reason: 'nothing is charged' },
  row(
    'Insufficient credits. Required: X, Available: Y',
    'not enough voice_credits; nobody is called. Who has not even one credit a contact is told so before the audio is made',
  ),
  { status: 500, message: 'Database connection failed', reason: 'server error' },
];

/** Error table of a simulation. */
export const SIMULATION_ERRORS: ErrorRow[] = [
  ...BEFORE,
  ...MENUS,
  row(SIMULATION_TEXTS.digits, 'no list of keys'),
  row(SIMULATION_TEXTS.forwards, 'no numbers with outcomes'),
];
