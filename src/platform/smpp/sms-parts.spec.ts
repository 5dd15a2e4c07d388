import fc from 'fast-check';
import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { decodeGsm, isGsmText } from '../../kernel/gsm-alphabet.js';
import { PartsCache, splitSms, type SmsParts } from './sms-parts.js';

const oracle = createRequire(import.meta.url)('split-sms') as {
  split(text: string): { characterSet: string; parts: { content: string }[] };
};

const bodies = (sms: SmsParts): Buffer[] => sms.parts.map((part) => (sms.concatenated ? part.subarray(6) : part));
const decode = (sms: SmsParts): string[] =>
  bodies(sms).map((body) => (sms.dataCoding === 0 ? decodeGsm(body) : Buffer.from(body).swap16().toString('utf16le')));

const GSM = Array.from({ length: 0x10000 }, (_, unit) => String.fromCharCode(unit)).filter(isGsmText);
const gsmText = fc.array(fc.constantFrom(...GSM, '€', '{', ']'), { maxLength: 700 }).map((list) => list.join(''));
const anyText = fc
  .array(fc.constantFrom('a', 'é', 'ж', 'अ', '😀', '👨‍👩‍👧', '€', '汉'), { maxLength: 400 })
  .map((list) => list.join(''));

describe('splitting a text into SMS', () => {
  it('keeps the whole text, in parts that fit', () => {
    fc.assert(
      fc.property(fc.oneof(gsmText, anyText), (text) => {
        const sms = splitSms(text) as SmsParts;
        expect(decode(sms).join('')).toBe(text);
        const most = sms.dataCoding === 0 ? (sms.concatenated ? 153 : 160) : sms.concatenated ? 134 : 140;
        for (const body of bodies(sms)) expect(body.length).toBeLessThanOrEqual(most);
        expect(sms.concatenated).toBe(sms.parts.length > 1);
      }),
    );
  });

  it('never parts an escape from its character nor two surrogates', () => {
    fc.assert(
      fc.property(fc.oneof(gsmText, anyText), (text) => {
        for (const part of decode(splitSms(text) as SmsParts)) {
          expect(Buffer.from(part, 'utf8').toString('utf8')).toBe(part);
          expect(isGsmText(part)).toBe(isGsmText(text) || isGsmText(part));
        }
        const sms = splitSms(text) as SmsParts;
        if (sms.dataCoding === 0) for (const body of bodies(sms)) expect(body.at(-1)).not.toBe(0x1b);
      }),
    );
  });

  it('cuts where split-sms cuts', () => {
    fc.assert(
      fc.property(fc.oneof(gsmText, anyText), (text) => {
        fc.pre(!text.includes('\f'));
        const parts = oracle.split(text).parts.map((part) => part.content);
        expect(decode(splitSms(text) as SmsParts)).toEqual(parts);
      }),
    );
  });

  it.each([
    ['a'.repeat(160), 1, 0],
    ['a'.repeat(161), 2, 0],
    ['a'.repeat(306), 2, 0],
    ['a'.repeat(307), 3, 0],
    [`${'a'.repeat(152)}€${'a'.repeat(10)}`, 2, 0],
    ['ж'.repeat(70), 1, 8],
    ['ж'.repeat(71), 2, 8],
    ['ж'.repeat(134), 2, 8],
    ['ж'.repeat(135), 3, 8],
    ['', 1, 0],
  ])('%#: numbers of parts at the limits', (text, count, dataCoding) => {
    const sms = splitSms(text) as SmsParts;
    expect([sms.parts.length, sms.dataCoding]).toEqual([count, dataCoding]);
  });

  it('writes the user data header', () => {
    const sms = splitSms('a'.repeat(200)) as SmsParts;
    expect([...(sms.parts[1] as Buffer).subarray(0, 6)]).toEqual([5, 0, 3, 0, 2, 2]);
  });

  it('refuses what 255 parts can not hold', () => {
    expect(splitSms('a'.repeat(153 * 255))?.parts).toHaveLength(255);
    expect(splitSms('a'.repeat(153 * 255 + 1))).toBeNull();
  });

  it('remembers the last texts', () => {
    const cache = new PartsCache();
    expect(cache.of('hello')).toBe(cache.of('hello'));
    for (let i = 0; i < 200; i++) expect(cache.of(`text ${i}`)?.parts).toHaveLength(1);
  });
});
