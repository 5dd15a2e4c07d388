import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { repeatedNumbers } from './repeated-numbers.js';

/** As it reads: one text after the other. */
function oneByOne(numbers: readonly string[], most: number) {
  const seen = new Set<string>();
  const repeated = new Set<string>();
  let duplicates = 0;
  for (const number of numbers) {
    if (seen.has(number)) {
      duplicates += 1;
      repeated.add(number);
    }
    seen.add(number);
  }
  return { repeated: [...repeated].slice(0, most), duplicates };
}

describe('repeated numbers', () => {
  it('are those that a set of texts finds, leading zeros, long numbers and user ids among them', () => {
    const digits = fc.stringMatching(/^[0-9]{1,20}$/);
    const near = fc.integer({ min: 0, max: 50 }).map((last) => `9198000000${String(last).padStart(2, '0')}`);
    const padded = fc.tuple(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 9 }));
    const long = fc.integer({ min: 0, max: 5 }).map((last) => `1234567890123456${last}`);
    const number = fc.oneof(
      digits,
      near,
      long,
      padded.map(([zeros, last]) => `${'0'.repeat(zeros)}${last}`),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(number, { maxLength: 200 }), fc.integer({ min: 1, max: 20 }), (numbers, most) => {
        expect(repeatedNumbers(numbers, most)).toEqual(oneByOne(numbers, most));
      }),
    );
  });

  it('of fifteen digits and more are told apart to the last digit', () => {
    const numbers = ['999999999999999', '999999999999998', '9999999999999999', '9999999999999998'];
    expect(repeatedNumbers(numbers, 9)).toEqual({ repeated: [], duplicates: 0 });
    expect(repeatedNumbers([...numbers, ...numbers], 9)).toEqual({ repeated: numbers, duplicates: 4 });
  });
});
