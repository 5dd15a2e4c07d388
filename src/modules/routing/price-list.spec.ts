import { expect, it } from 'vitest';
import { decimalOf, PriceList, readMicros } from './price-list.js';

it.each([
  ['0', 0, '0.00'],
  ['0.0045', 4_500, '0.0045'],
  ['1.5', 1_500_000, '1.50'],
  ['0.000001', 1, '0.000001'],
  ['9999.999999', 9_999_999_999, '9999.999999'],
  ['012', 12_000_000, '12.00'],
])('reads %s as %i millionths', (text, micros, shown) => {
  expect(readMicros(text)).toBe(micros);
  expect(decimalOf(micros)).toBe(shown);
});

it.each(['', '-1', '1,5', '1.', '.5', '1e3', '10000', '0.1234567', ' 1', 'abc'])('reads no cost in "%s"', (text) => {
  expect(readMicros(text)).toBeNull();
});

it('shows what is below zero, and sums beyond what a number holds', () => {
  expect(decimalOf(-4_500)).toBe('-0.0045');
  expect(decimalOf(12_345_678_901_234_567_890n)).toBe('12345678901234.56789');
});

it('asks the cost of the longest prefix', () => {
  const list = new PriceList('EUR', [
    { prefix: '', micros: 9 },
    { prefix: '91', micros: 5 },
    { prefix: '9198', micros: 3 },
  ]);
  expect(['919812', '91', '9', '4412', ''].map((number) => list.microsFor(number))).toEqual([3, 5, 9, 9, 9]);
  expect(new PriceList('EUR', [{ prefix: '91', micros: 5 }]).microsFor('44')).toBe(0);
});
