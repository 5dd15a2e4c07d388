import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonical, isCounted, isSameNumber, messageKey, spellings } from './message-ids.js';

/** Whether the receipt's id finds the answer's, as the look-up does: by its key, or by that of its other value. */
const finds = (receipt: string, answer: string): boolean =>
  [receipt, ...spellings(receipt)].some((value) => messageKey(1, value) === messageKey(1, answer));

describe('ids of carriers', () => {
  it('are found by value: hexadecimal and decimal, in either case, with zeros or 0x in front', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 2n ** 63n - 1n }), fc.nat(20), (value, zeros) => {
        const decimal = value.toString();
        const hex = value.toString(16);
        const ways = [
          decimal,
          decimal.padStart(zeros, '0'),
          hex,
          hex.toUpperCase(),
          `0x${hex}`,
          `0X${hex.toUpperCase()}`,
        ];
        ways.push(hex.padStart(16, '0'), hex.toUpperCase().padStart(8, '0'));
        for (const one of ways) {
          for (const other of [decimal, hex]) {
            expect([one, other, finds(one, other)]).toEqual([one, other, true]);
            expect([other, one, finds(other, one)]).toEqual([other, one, true]);
          }
        }
      }),
    );
  });

  it.each([
    ['2671389457', '000000009f3a2b11'],
    ['000000009F3A2B11', '2671389457'],
    ['123456001', '0123456001'],
    ['0123456001', '123456001'],
    ['0x9f3a2b11', '2671389457'],
    ['2671389457', '0x9F3A2B11'],
    ['8B3C2F64-7F0E-4D7E-9D5F-00000000000A', '8b3c2f64-7f0e-4d7e-9d5f-00000000000a'],
    ['8b3c2f64-7f0e-4d7e-9d5f-00000000000a', '8B3C2F64-7F0E-4D7E-9D5F-00000000000A'],
    ['0', '0000'],
  ])('%s finds %s', (receipt, answer) => {
    expect(finds(receipt, answer)).toBe(true);
  });

  it.each([
    ['wamid.HBgLA', 'wamid.hbgla'],
    ['0x123', '123001'],
    ['123456001', '123456002'],
    ['p-01', 'p-1'],
    ['8b3c2f64-7f0e-4d7e-9d5f-00000000000a', '8b3c2f64-7f0e-4d7e-9d5f-00000000000b'],
  ])('%s does not find %s', (receipt, answer) => {
    expect(finds(receipt, answer)).toBe(false);
  });

  it('cost three look-ups at the most', () => {
    fc.assert(fc.property(fc.string({ maxLength: 128 }), (id) => spellings(id).length <= 3));
    expect(['123', 'ff01', 'wamid.X'].map(canonical)).toEqual(['123', 'ff01', 'wamid.X']);
    expect(['FF01', '00123', '0x7f'].map(canonical)).toEqual(['ff01', '123', '7f']);
    expect([isCounted('123'), isCounted('9f3a2b11'), isCounted('wamid.X'), isCounted('f'.repeat(32))]).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});

it('has a key for each route and value, which is an exact number', () => {
  const keys = Array.from({ length: 20_000 }, (_, index) => messageKey(1 + (index % 2), String(index >> 1)));
  expect(new Set(keys).size).toBe(keys.length);
  expect(keys.every((key) => Number.isSafeInteger(key) && key >= 0)).toBe(true);
});

it('knows a number that is written without its country code, or with zeros in front', () => {
  expect(isSameNumber('4915112345678', '004915112345678')).toBe(true);
  expect(isSameNumber('4915112345678', '015112345678')).toBe(true);
  expect(isSameNumber('4915112345678', '4915112345679')).toBe(false);
  expect(isSameNumber('4915112345678', '345678')).toBe(false);
  expect(isSameNumber('', '4915112345678')).toBe(false);
});
