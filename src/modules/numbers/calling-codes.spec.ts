import { expect, it } from 'vitest';
import { getCountries, getCountryCallingCode, getExampleNumber } from 'libphonenumber-js/max';
import examples from 'libphonenumber-js/examples.mobile.json';
import { callingCodeOf, checkNumber } from './index.js';

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
  for (let place = 0; place < 1000; place++) {
    const digits = String(place).padStart(3, '0');
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
