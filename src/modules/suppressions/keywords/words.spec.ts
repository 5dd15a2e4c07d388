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
    ['S T O P', 'stop'],
    ['s.t.o.p.', 'stop'],
    ['STOP STOP', 'stop'],
    ['Stop. Stop! STOP!!!', 'stop'],
    ['stop all', 'stop'],
    ['un subscribe', 'stop'],
    ['\u202ESTOP\u202C', 'stop'],
    ['\u200Fstop\u200E', 'stop'],
    ['st\u00ADop', 'stop'],
    ['STOP™', 'stop'],
    ['ℹ️ stop', 'stop'],
    ['QUİT', 'stop'],
    ['qui\u0307t', 'stop'],
    ['unsubscrıbe', 'stop'],
    ['Ⓢⓣⓞⓟ', 'stop'],
    ['START START', 'start'],
    ['Stopp', null],
    ['STOP 1', null],
    ['1 STOP', null],
    ['STOP START', null],
    ['STOPS', null],
    ['ѕtop', null],
    ['st0p', null],
    ['STOP\n\nSent from my phone', null],
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
    ...['Arrêt', 'İptal', 'إيقاف', '停止'].map((word): Keyword => ({
      word: wordOf(word),
      action: 'suppress',
      reply: null,
    })),
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
    ['S T O P', { effect: 'stop', reply: 'You get no more messages' }],
    ['ARRE\u0302T !', { word: 'ARRÊT', effect: 'stop', reply: null }],
    ['arrêt arrêt', null],
    ['iptal', { word: 'IPTAL', effect: 'stop', reply: null }],
    ['İPTAL.', { word: 'IPTAL', effect: 'stop', reply: null }],
    ['ıptal', { word: 'IPTAL', effect: 'stop', reply: null }],
    ['\u202Bإيقاف\u202C!', { word: 'إيقاف', effect: 'stop', reply: null }],
    ['「停止」', { word: '停止', effect: 'stop', reply: null }],
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
