import fc from 'fast-check';
import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { decodeGsm, encodeGsm, isGsmText, nonGsmCharacters, septets } from './gsm-alphabet.js';

interface SplitSms {
  split(text: string): { characterSet: string; length: number };
}
const oracle = createRequire(import.meta.url)('split-sms') as SplitSms;

describe('GSM 03.38', () => {
  it('agrees with split-sms on every character of the basic plane', () => {
    for (let unit = 0; unit < 0x10000; unit++) {
      const character = String.fromCharCode(unit);
      expect([unit, isGsmText(character)]).toEqual([unit, oracle.split(character).characterSet === 'GSM']);
    }
  });

  it('counts extension characters twice', () => {
    expect(septets('€[]{}\\^|~\f')).toBe(20);
    expect(septets('hello')).toBe(5);
    expect([...encodeGsm('a€@')]).toEqual([0x61, 0x1b, 0x65, 0x00]);
  });

  it('reads back what it wrote', () => {
    const characters = Array.from({ length: 0x10000 }, (_, unit) => String.fromCharCode(unit)).filter(isGsmText);
    expect(characters).toHaveLength(127 + 10);
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...characters)), (list) => {
        const text = list.join('');
        const bytes = encodeGsm(text);
        expect(bytes.length).toBe(septets(text));
        expect(decodeGsm(bytes)).toBe(text);
      }),
    );
  });

  it('names the characters that are not GSM', () => {
    expect(nonGsmCharacters('ç “tab”\t 😀😀 é')).toEqual(['ç', '“', '”', '\t', '😀']);
    expect(nonGsmCharacters('plain €')).toEqual([]);
    expect(() => encodeGsm('ç')).toThrow(RangeError);
  });

  it('shows a broken escape as a receiver would', () => {
    expect(decodeGsm(Uint8Array.of(0x1b, 0x41, 0x1b))).toBe('A ');
  });
});
