import { describe, expect, it } from 'vitest';
import { SPOKEN_VOICES, voiceOf } from './spoken-language.js';

describe('the voice for a language (reference/voice#speech)', () => {
  it.each([
    ['hindi', 'hi'],
    ['hi', 'hi'],
    ['Hindi', 'hi'],
    [' HI ', 'hi'],
    ['english', 'en'],
    ['en', 'en'],
    ['en_US', 'en'],
    ['en-GB', 'en'],
    ['hi-IN', 'hi'],
    ['tamil', 'ta'],
    ['zh', 'cmn'],
    ['no', 'nb'],
  ])('%s is spoken by %s', (language, voice) => expect(voiceOf(language)).toBe(voice));

  it.each(['te', 'ta', 'ru', 'pa', 'mr', 'ml', 'hi', 'gu', 'ur', 'bn', 'kn', 'en', 'he'])(
    'the short code %s of reference/templates#languages has its own voice',
    (code) => expect(voiceOf(code)).toBe(code),
  );

  it.each([null, '', '  ', 'xx', 'klingon', 'e', 'hindustani', 'constructor', '__proto__', 'h i', 'hi;rm', '१२'])(
    'unrecognized is English: %j',
    (language) => expect(voiceOf(language)).toBe('en'),
  );

  it('gives only voices of the list', () => {
    for (let a = 97; a < 123; a++)
      for (let b = 97; b < 123; b++) expect(SPOKEN_VOICES).toContain(voiceOf(String.fromCharCode(a, b)));
  });
});
