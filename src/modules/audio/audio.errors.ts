import { failed, invalid, unavailable, fieldErrors } from '../../kernel/errors.js';
import { serverErrors } from '../../platform/http/index.js';

/** Errors of audio (reference/voice#order), literal texts. `at`: the field that named it. */
export const audioErrors = {
  tooLong: invalid(
    'audio_too_long',
    (at: string) => `${at} duration cannot exceed 120 seconds`,
    'generated or supplied audio is too long',
  )
    .with({ hint: 'Shorten the text or the file.' })
    .shown('Audio'),
  notFetched: invalid(
    'audio_not_fetched',
    (at: string) => fieldErrors.notFetched.shown(at).text,
    'unreachable, slow, over 10 MB, or an address that is not allowed',
  )
    .with({
      field: (at: string) => at,
      hint: 'The address must be public, answer within 15 seconds without a login, and serve 10 MB at most.',
    })
    .shown('audio_url'),
  notPlayable: invalid(
    'audio_not_playable',
    (at: string) => `${at} is not a playable audio file`,
    'no audio, or a format that cannot be played',
  )
    .with({ field: (at: string) => at, hint: 'Serve WAV or MP3; OGG and M4A need ffmpeg at the operator.' })
    .shown('audio_url'),
  tooMuch: invalid(
    'too_much_audio',
    'dtmf_flow has too much audio: at most 50 clips and 20 MB in all',
    'all clips of the menu together',
  ).with({ field: 'dtmf_flow' }),
  nothingToSay: invalid(
    'nothing_to_say',
    'message contains nothing that can be spoken',
    'no speech came of the text',
  ).with({ field: 'message', hint: 'Write words in the language that is chosen.' }),
  noEngine: unavailable(
    'no_speech_engine',
    'Text to speech is not available',
    'the speech engine is not installed',
  ).with({ hint: 'Give an `audio_url` instead of a text, or ask the operator.' }),
  speechFailed: failed('speech_failed', serverErrors.internal.text),
};
