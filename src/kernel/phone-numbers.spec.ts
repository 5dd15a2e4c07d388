import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GB, IN, READ, REFUSED } from '../../test/support/number-table.js';
import { NUMBER_REFUSALS, type NumberPlan, personKey, readNumber, spellingsOf } from './phone-numbers.js';

it('has rows enough, each once', () => {
  const given = [...READ, ...REFUSED].map(([value]) => value);
  expect(new Set(given).size).toBe(given.length);
  expect(given.length).toBeGreaterThan(200);
});

it.each(READ)('reads %j as %s', (given, digits) => {
  expect(readNumber(given)).toEqual({ digits });
});

it.each(REFUSED)('refuses %j: %s', (given, refusal) => {
  expect(readNumber(given)).toEqual({ refused: NUMBER_REFUSALS[refusal] });
});

describe('with a plan', () => {
  /** Knows one trunk zero, one zero that belongs to the number, and one country. */
  const plan: NumberPlan = {
    behindCode: (digits) => (digits.startsWith('39') ? digits : digits === '4407911000012' ? GB : null),
    national: (digits) => ({ '09812345678': IN, '9812345678': IN, '5123456': '3725123456' })[digits] ?? null,
  };

  it.each([
    ['09812345678', IN],
    ['(0)98123 45678', IN],
    ['9812345678', IN],
    ['98123-45678', IN],
    [9_812_345_678, IN],
    ['512 3456', '3725123456'],
    [IN, IN],
    ['+919812345678', IN],
    ['+9812345678', '9812345678'],
    ['0091 98123 45678', IN],
    ['+44 07911 000012', GB],
    ['4407911000012', GB],
    ['+44 (0)7911 000012', GB],
    ['+39 06 1234 5678', '390612345678'],
    ['390612345678', '390612345678'],
    ['+39 (0)6 1234 5678', '390612345678'],
  ])('reads %j as %s', (given, digits) => {
    expect(readNumber(given, plan)).toEqual({ digits });
  });

  it.each(['09800000000', '+49 0151 12345678', '491 (0)511'])('refuses the zero of %j', (given) => {
    expect(readNumber(given, plan)).toEqual({ refused: NUMBER_REFUSALS.trunkZero });
  });
});

describe('whatever is given', () => {
  const written = fc.stringMatching(/^[+(]?[0-9()+\-./, eExX']{0,30}$/);

  it('is read as 8 to 15 digits, or refused in words', () => {
    fc.assert(
      fc.property(fc.oneof(fc.anything(), fc.string({ unit: 'binary' }), written), (given) => {
        const read = readNumber(given);
        if ('digits' in read) expect(read.digits).toMatch(/^[1-9][0-9]{7,14}$/);
        else expect(Object.values(NUMBER_REFUSALS)).toContain(read.refused);
      }),
      { numRuns: 3_000 },
    );
  });

  it('keeps every digit it has not named: only +, 00 and one (0) go', () => {
    fc.assert(
      fc.property(written, (given) => {
        const read = readNumber(given);
        if (!('digits' in read)) return;
        const all = given.replace(/[^0-9]/g, '').replace(/^00/, '');
        expect([
          all,
          given
            .replace(/\( ?0 ?\)/, '')
            .replace(/[^0-9]/g, '')
            .replace(/^00/, ''),
        ]).toContain(read.digits);
      }),
      { numRuns: 3_000 },
    );
  });

  it('is read at once, however it is made', () => {
    const began = performance.now();
    for (const sign of ['(', ' ', '.', 'e', '-', '1', '1 ', '1.', '(0)', '/', 'x']) readNumber(`9${sign.repeat(198 / sign.length)}`); // prettier-ignore
    expect(performance.now() - began).toBeLessThan(200);
  });
});

describe('one person', () => {
  it.each([
    ['5511961234567', '551161234567'],
    ['5521998765432', '552198765432'],
    ['5215512345678', '525512345678'],
    ['5491123456789', '541123456789'],
  ])('has the numbers %s and %s', (long, short) => {
    expect(personKey(long)).toBe(personKey(short));
    expect(spellingsOf(long)).toEqual([long, short]);
    expect(spellingsOf(short)).toEqual([short, long]);
  });

  it.each([
    // the ninth digit was put before 6 to 9 only: without it these are numbers of homes
    ['5511941234567', '551141234567'],
    ['919812345678', '99812345678'],
    ['5411123456789', '541123456789'],
    ['US.13491208655302741918', '13491208655302741918'],
  ])('has not both %s and %s', (one, other) => {
    expect(personKey(one)).not.toBe(personKey(other));
    expect(spellingsOf(one)).toEqual([one]);
  });

  it('is the same, however often its spellings are looked up', () => {
    const digits = fc.oneof(fc.stringMatching(/^5[245][0-9]{9,12}$/), fc.stringMatching(/^[0-9]{8,15}$/));
    fc.assert(
      fc.property(digits, (number) => {
        const all = spellingsOf(number);
        expect(all.length).toBeLessThanOrEqual(2);
        for (const other of all) {
          expect(personKey(other)).toBe(personKey(number));
          expect(spellingsOf(other).toSorted()).toEqual(all.toSorted());
        }
      }),
      { numRuns: 3_000 },
    );
  });
});
