import { AppError } from '../../kernel/app-error.js';

const invalid = (code: string, text: string) => (): AppError => new AppError('invalid', code, text);

/** Errors of audio (reference/voice#order), literally. `at`: the field that named it. */
export const audioErrors = {
  tooLong: (at = 'Audio') => new AppError('invalid', 'audio_too_long', `${at} duration cannot exceed 120 seconds`),
  notFetched: (at: string) => new AppError('invalid', 'audio_not_fetched', `${at} could not be fetched`),
  notPlayable: (at: string) => new AppError('invalid', 'audio_not_playable', `${at} is not a playable audio file`),
  tooMuch: invalid('too_much_audio', 'dtmf_flow has too much audio: at most 50 clips and 20 MB in all'),
  nothingToSay: invalid('nothing_to_say', 'message contains nothing that can be spoken'),
  noEngine: () => new AppError('unavailable', 'no_speech_engine', 'Text to speech is not available'),
  speechFailed: () => new AppError('failed', 'speech_failed', 'Internal server error'),
};
