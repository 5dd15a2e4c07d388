import { expect, it } from 'vitest';
import { MOST_ROW_FAULTS } from '../../kernel/app-error.js';
import { NumberCheck } from './index.js';

/** A check that has seen all of them. */
function checkOf(numberCheck: 'refuse' | 'warn', numbers: readonly string[]): NumberCheck | null {
  const check = NumberCheck.begin({ numberCheck });
  for (const [place, number] of numbers.entries()) check?.look(number, place + 1);
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
