import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SPOKEN_VOICES, spokenText, voiceOf } from './spoken-text.js';

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

const said = (text: string): string => spokenText(text).replace(/ +/g, ' ').trim();

describe('digits', () => {
  it.each([
    ['Your code is 482913.', 'Your code is 4, 8, 2, 9, 1, 3 .'],
    ['OTP 1984', 'OTP 1, 9, 8, 4'],
    ['12345678', '1, 2, 3, 4, 5, 6, 7, 8'],
    ['call 98765-43210', 'call 9, 8, 7, 6, 5 - 4, 3, 2, 1, 0'],
    ['order AB12345', 'order AB 1, 2, 3, 4, 5'],
    ['आपका कोड ४८२९ है', 'आपका कोड ४, ८, २, ९ है'],
    ['رمز ۴۸۲۹', 'رمز ۴, ۸, ۲, ۹'],
  ])('are said one by one in %j', (text, expected) => expect(said(text)).toBe(expected));

  it.each([
    '12 apples and 250 pears',
    'pay ₹5000 or Rs. 5000 or rs 12000 or USD 2500',
    'it costs $1500.',
    '12,3456.78 and 1234,567',
    '3.14159',
    'on 21-11-2026 or 2026-11-21 or 21/11/2026 or 21.11.2026',
    'at 10:3000',
  ])('are a number in %j', (text) => expect(said(text)).toBe(text));
});

describe('mark-up', () => {
  it('is said, not obeyed', () => {
    expect(said('<break time="100s"/>')).toBe('&lt;break time="100s"/&gt;');
    expect(said('Tom & Jerry &amp; Co')).toBe('Tom &amp; Jerry &amp;amp; Co');
    expect(spokenText('[[h@loU]] [[[x')).not.toContain('[[');
  });
});

describe('characters that are none', () => {
  it('are left out', () => {
    expect(said('one\u0000two\u0007three\ufefffour\ud800five\u{10ffff}')).toBe('one two three four five');
    expect(said('one\r\ntwo')).toBe('one\ntwo');
    expect(said('नमस्ते 😀')).toBe('नमस्ते 😀');
  });

  it('never reach the engine, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 100 }), (text) => {
        const result = spokenText(text);
        expect(result).not.toMatch(/[<>]|\[\[|[^\n\P{Cc}]|\p{Cs}/u);
        expect(result).not.toMatch(/&(?!amp;|lt;|gt;)/);
      }),
      { numRuns: 50 },
    );
  });
});
