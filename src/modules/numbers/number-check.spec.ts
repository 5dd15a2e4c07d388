import examples from 'libphonenumber-js/examples.mobile.json';
import { getCountries, getCountryCallingCode, getExampleNumber } from 'libphonenumber-js/max';
import { expect, it } from 'vitest';
import { MOST_ROW_FAULTS } from '../../kernel/errors.js';
import { callingCodeOf, checkNumber, NumberCheck } from './index.js';

/** A check that has seen all of them. */
function checkOf(numberCheck: 'refuse' | 'warn', numbers: readonly string[]): NumberCheck | null {
  const check = NumberCheck.begin({ numberCheck });
  for (const [index, number] of numbers.entries()) check?.check(number, index + 1);
  return check;
}

it('says of each number at fault what is wrong with it', () => {
  const numbers = ['919876543210', '9198765', '9198765432101234', '551199988777', '99912345678', '12', '14155552671'];
  const check = checkOf('refuse', numbers);
  expect(check).toMatchObject({ mode: 'refuse', checked: 7, invalid: 5 });
  expect(check?.faults).toEqual([
    { number: '9198765', row: 2, country: 'IN', reason: 'too short' },
    { number: '9198765432101234', row: 3, country: 'IN', reason: 'too long' },
    { number: '551199988777', row: 4, country: 'BR', reason: 'no such number' },
    { number: '99912345678', row: 5, country: null, reason: 'unknown calling code' },
    { number: '12', row: 6, country: null, reason: 'too short' },
  ]);
});

it('looks at nothing where the account wishes no check', () => {
  expect(NumberCheck.begin({ numberCheck: 'off' })).toBeNull();
});

it('names the first hundred and counts the others', () => {
  const check = checkOf('warn', Array<string>(5_000).fill('9198765'));
  expect(check).toMatchObject({ mode: 'warn', checked: 5_000, invalid: 5_000 });
  expect(check?.faults).toHaveLength(MOST_ROW_FAULTS);
  expect(check?.faults.at(-1)?.row).toBe(100);
});

it('names the calling code of a number of every country', () => {
  for (const country of getCountries()) {
    const number = getExampleNumber(country, examples)?.number.slice(1);
    if (number !== undefined)
      expect([country, callingCodeOf(number)]).toEqual([country, getCountryCallingCode(country)]);
  }
});

it.each([
  ['919876543210', '91'],
  ['14155552671', '1'],
  ['76543219870', '7'],
  ['8801712345678', '880'],
  ['88251234', '882'],
  ['80012345678', '800'],
  ['999123456', ''],
  ['0123', ''],
  ['21', ''],
  ['91', '91'],
  ['1', '1'],
  ['', ''],
])('takes %s as of %s', (number, code) => {
  expect(callingCodeOf(number)).toBe(code);
});

it('is told by the first three digits alone', () => {
  for (let index = 0; index < 1000; index++) {
    const digits = String(index).padStart(3, '0');
    expect(callingCodeOf(`${digits}5551234567`)).toBe(callingCodeOf(digits));
  }
});

it('knows country, type and validity', () => {
  expect(checkNumber('919876543210')).toEqual({ country: 'IN', type: 'mobile', isValid: true });
  expect(checkNumber('390612345678')).toEqual({ country: 'IT', type: 'fixed_line', isValid: true });
  expect(checkNumber('14155552671')).toEqual({ country: 'US', type: 'fixed_line_or_mobile', isValid: true });
  expect(checkNumber('919876')).toEqual({ country: 'IN', type: null, isValid: false });
  // a mobile number of nine digits, which Brazil gave up
  expect(checkNumber('551199988777')).toMatchObject({ isValid: false });
  expect(checkNumber('80012345678')).toEqual({ country: null, type: 'toll_free', isValid: true });
  expect(checkNumber('99912345678')).toEqual({ country: null, type: null, isValid: false });
  expect(checkNumber('')).toEqual({ country: null, type: null, isValid: false });
  expect(checkNumber('9'.repeat(40))).toMatchObject({ isValid: false });
});
