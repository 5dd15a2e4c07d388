import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { priceOf } from './sms.channel.js';

const GSM = [
  [1, 1],
  [160, 1],
  [161, 2],
  [306, 2],
  [307, 3],
  [459, 3],
  [460, 4],
  [612, 4],
  [613, null],
] as const;

const UNICODE = [
  [1, 1],
  [70, 1],
  [71, 2],
  [133, 2],
  [134, 3],
  [199, 3],
  [200, 4],
  [265, 4],
  [266, 5],
  [331, 5],
  [332, null],
] as const;

describe('SMS price (reference/sms#prices)', () => {
  it.each(GSM)('%i plain characters cost %s', (length, credits) => {
    expect(priceOf('a'.repeat(length)).credits).toBe(credits);
  });

  it.each(UNICODE)('%i Unicode units cost %s', (length, credits) => {
    expect(priceOf('я'.repeat(length))).toEqual({ encoding: 'unicode', length, credits });
  });

  it.each(Array.from('€[]{}\\^|~\f'))('the extension character %j counts 2', (character) => {
    expect(priceOf(character.repeat(80))).toEqual({ encoding: 'gsm7', length: 160, credits: 1 });
    expect(priceOf(character.repeat(80) + 'a')).toEqual({ encoding: 'gsm7', length: 161, credits: 2 });
    expect(priceOf(character.repeat(306))).toEqual({ encoding: 'gsm7', length: 612, credits: 4 });
    expect(priceOf(character.repeat(306) + 'a').credits).toBeNull();
  });

  it('counts a character outside the basic plane as two units', () => {
    expect(priceOf('😀'.repeat(35))).toEqual({ encoding: 'unicode', length: 70, credits: 1 });
    expect(priceOf('😀'.repeat(35) + 'a').credits).toBe(2);
  });

  it.each(['ç', '’', '\t', '`'])('%j is not in the GSM tables, so the whole text is Unicode', (character) => {
    expect(priceOf('a'.repeat(70) + character)).toEqual({ encoding: 'unicode', length: 71, credits: 2 });
  });

  it.each(['é', 'Ç', 'ñ', '£', '¥', 'Δ', '@', '\n', '\r', '$', '_', '¿'])('%j is plain', (character) => {
    expect(priceOf(character.repeat(160))).toEqual({ encoding: 'gsm7', length: 160, credits: 1 });
  });

  it('is never cheaper when the text grows, never below 1 and never above 5', () => {
    const text = fc.string({ unit: fc.constantFrom('a', '€', 'я', '😀', '\n'), maxLength: 700 });
    fc.assert(
      fc.property(text, fc.constantFrom('a', '€', 'я', '😀'), (start, next) => {
        const before = priceOf(start).credits;
        const after = priceOf(start + next).credits;
        if (after === null) return true;
        return before !== null && before >= 1 && after >= before && after <= 5;
      }),
    );
  });

  it('prices any text without throwing', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (text) => {
        const price = priceOf(text);
        return price.length >= text.length && (price.credits === null || price.credits >= 1);
      }),
    );
  });
});
