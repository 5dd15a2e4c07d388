import { describe, expect, it } from 'vitest';
import { consentWord, type Keyword, meaningOf, wordOf } from './words.js';

const keywords = (...list: Keyword[]): ReadonlyMap<string, Keyword> =>
  new Map(list.map((keyword) => [keyword.word, keyword]));

describe('consentWord', () => {
  it.each<[string, string | null]>([
    ...['STOP', 'stopall', 'Unsubscribe', 'CANCEL', 'end', 'Quit', 'REVOKE', 'OptOut', 'OPT OUT'].map(
      (word): [string, string] => [word, 'stop'],
    ),
    ['  stop \r\n', 'stop'],
    ['STOP!', 'stop'],
    ['"Stop."', 'stop'],
    ['«stop»', 'stop'],
    ['🛑 STOP 🛑', 'stop'],
    ['stop ❤️', 'stop'],
    ['ＳＴＯＰ', 'stop'],
    ['opt-out', 'stop'],
    ['opt \u00a0 out', 'stop'],
    ['@stop', 'stop'],
    ['stop\0', 'stop'],
    ['start', 'start'],
    ['Unstop!', 'start'],
    ['help', null],
    ['please stop', null],
    ["don't stop", null],
    ['stop it', null],
    ['', null],
    ['!!!', null],
    [' '.repeat(200) + 'STOP', null],
  ])('takes %j for %s', (text, word) => expect(consentWord(text)).toBe(word));
});

describe('a keyword of an account', () => {
  const own = keywords(
    { word: 'BAJA', action: 'suppress', reply: null },
    { word: 'बंद करो', action: 'suppress', reply: null },
    { word: 'INFO', action: 'reply', reply: 'Open 9 to 5' },
    { word: 'YES', action: 'event', reply: null },
    { word: 'STOP', action: 'suppress', reply: 'You get no more messages' },
    { word: 'QUIT', action: 'suppress', reply: 'Bye' },
    { word: 'HELP', action: 'reply', reply: 'Call us' },
  );

  it.each([
    ['baja', { word: 'BAJA', effect: 'stop', reply: null }],
    ['बंद करो।', { word: 'बंद करो', effect: 'stop', reply: null }],
    ['Info?', { word: 'INFO', effect: 'none', reply: 'Open 9 to 5' }],
    ['yes', { word: 'YES', effect: 'none', reply: null }],
    ['cancel', { word: 'CANCEL', effect: 'stop', reply: 'You get no more messages' }],
    ['quit', { word: 'QUIT', effect: 'stop', reply: 'Bye' }],
    ['unstop', { word: 'UNSTOP', effect: 'start', reply: null }],
    ['help', { word: 'HELP', effect: 'none', reply: 'Call us' }],
    ['info please', null],
  ])('makes %j mean %j', (text, meaning) => {
    const read = meaningOf(text, own);
    if (meaning === null) expect(read).toBeNull();
    else expect(read).toMatchObject(meaning);
  });

  it('is stored as its texts are read', () => {
    expect(wordOf(' “Más  info” ')).toBe('MÁS INFO');
    expect(wordOf('x'.repeat(65))).toBe('');
  });
});
