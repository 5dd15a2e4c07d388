import examples from 'libphonenumber-js/examples.mobile.json';
import { getCountries, getExampleNumber, parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { describe, expect, it } from 'vitest';
import { NUMBER_REFUSALS, readNumber } from '../../kernel/phone-numbers.js';
import { isInPlan, planOf } from './plans.js';

const read = (given: unknown, country: string | null) => readNumber(given, planOf(country));

it('has the numbers that the library has, and no others', () => {
  const wrong: string[] = [];
  let seed = 7;
  const random = (): number => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
  for (const country of getCountries()) {
    const example = getExampleNumber(country, examples)?.number.slice(1) ?? '';
    for (let round = 0; round < 12; round++) {
      const kept = example.length - Math.floor(random() * 8);
      const length = example.length + (round % 4 === 3 ? 1 : 0);
      const digits = Array.from({ length }, (_, at) => (at < kept ? example[at] : Math.floor(random() * 10))).join('');
      const parsed = parsePhoneNumberFromString(`+${digits}`);
      const isValid = parsed?.isValid() === true && parsed.number === `+${digits}`;
      if (isInPlan(digits) !== isValid) wrong.push(`${country} ${digits}`);
    }
  }
  expect(wrong).toEqual([]);
});

describe('numbers of the country', () => {
  it('become international for every country, with its trunk prefix and without', () => {
    const wrong: string[] = [];
    for (const country of getCountries()) {
      const example = getExampleNumber(country, examples);
      if (!example) continue;
      const digits = example.number.slice(1);
      const given = [example.formatNational().replace(/[^0-9]/g, ''), example.nationalNumber, digits, `+${digits}`, `00${digits}`]; // prettier-ignore
      const readings = given.map((text) => {
        const reading = read(text, country);
        return 'digits' in reading ? reading.digits : reading.refused;
      });
      const isShort = digits.length < 8;
      if (!isShort && readings.some((reading) => reading !== digits))
        wrong.push(`${country} ${digits}: ${readings.join(' ')}`);
    }
    expect(wrong).toEqual([]);
  });

  it.each([
    ['IN', '09812345678', '919812345678'],
    ['IN', '9812345678', '919812345678'],
    ['IN', '919812345678', '919812345678'],
    ['IN', '098123 45678', '919812345678'],
    ['IN', '0091 98123 45678', '919812345678'],
    ['IN', '(0)98123-45678', '919812345678'],
    ['IN', '447911123456', '447911123456'],
    ['IN', '+9812345678', '9812345678'],
    ['GB', '07911 123456', '447911123456'],
    ['GB', '7911123456', '447911123456'],
    ['US', '(415) 555-2671', '14155552671'],
    ['US', '1 (415) 555-2671', '14155552671'],
    ['US', '011 44 7911 123456', '447911123456'],
    ['CA', '415-555-2671', '14155552671'],
    ['AU', '0011 44 7911 123456', '447911123456'],
    ['AU', '0412 345 678', '61412345678'],
    ['RU', '8 912 345-67-89', '79123456789'],
    ['RU', '9123456789', '79123456789'],
    ['DE', '0151 12345678', '4915112345678'],
    ['DE', '4915112345678', '4915112345678'],
    ['DE', '33612345678', '33612345678'],
    ['BR', '(11) 96123-4567', '5511961234567'],
    ['BR', '0 11 96123-4567', '5511961234567'],
    ['IT', '06 1234 5678', '390612345678'],
    ['IT', '+39 (0)6 1234 5678', '390612345678'],
    ['EE', '512 3456', '3725123456'],
    ['SG', '9123 4567', '6591234567'],
  ])('%s %s is %s', (country, given, digits) => {
    expect(read(given, country)).toEqual({ digits });
  });

  it.each([
    ['IN', '0312345678901'],
    ['IN', '0447911123456'],
    ['US', '0415 555 2671'],
    [null, '09812345678'],
    [null, '+49 0999 999'],
  ])('%s has no zero as in %s', (country, given) => {
    expect(read(given, country)).toEqual({ refused: NUMBER_REFUSALS.trunkZero });
  });
});

it.each([
  ['+44 07911 123456', '447911123456'],
  ['4407911123456', '447911123456'],
  ['+44 (0)7911 123456', '447911123456'],
  ['+39 06 1234 5678', '390612345678'],
  ['+39 (0)6 1234 5678', '390612345678'],
  ['+225 01 23 45 67 89', '2250123456789'],
  ['9812345678', '9812345678'],
])('without a country %s is %s', (given, digits) => {
  expect(read(given, null)).toEqual({ digits });
});
