import { AppError } from '../../kernel/app-error.js';

const invalid = (code: string, text: string) => (): AppError => new AppError('invalid', code, text);

/** Errors of audio (spec 7 "Voice send", decisions §5), literally; the last three are ours. */
export const audioErrors = {
  tooLong: invalid('audio_too_long', 'Audio duration cannot exceed 120 seconds'),
  notFetched: invalid('audio_not_fetched', 'audio_url could not be fetched'),
  notPlayable: invalid('audio_not_playable', 'audio_url is not a playable audio file'),
  nothingToSay: invalid('nothing_to_say', 'message contains nothing that can be spoken'),
  noEngine: () => new AppError('unavailable', 'no_speech_engine', 'Text to speech is not available'),
  speechFailed: () => new AppError('failed', 'speech_failed', 'Internal server error'),
};
