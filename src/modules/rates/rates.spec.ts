import { describe, expect, it } from 'vitest';
import { Pricer } from './rates.js';

const pricer = (rows: Record<string, number>): Pricer =>
  new Pricer(Object.entries(rows).map(([prefix, creditsPerSegment]) => ({ prefix, creditsPerSegment })));

describe('a pricer', () => {
  it('goes by the longest prefix that a number has', () => {
    const plan = pricer({ '91': 3, '9198': 2, '1': 7 });
    const numbers = ['919812345678', '919712345678', '12025550100', '442071234567'];
    expect(numbers.map((number) => plan.perSegment(number))).toEqual([2, 3, 7, null]);
  });

  it('takes the empty prefix for every number, and a price of 0 for a price', () => {
    const plan = pricer({ '': 5, '91': 0 });
    expect([plan.perSegment('919812345678'), plan.perSegment('442071234567')]).toEqual([0, 5]);
  });

  it('takes no prefix that is longer than the number for its own', () => {
    const plan = pricer({ '9198123': 1, '91': 2 });
    expect([plan.perSegment('9198'), plan.perSegment('9'), plan.perSegment('')]).toEqual([2, null, null]);
  });

  it('has a quick answer, however many rows there are', () => {
    const rows = Array.from({ length: 10_000 }, (_, index) => [String(index), index % 100] as const);
    const plan = pricer(Object.fromEntries(rows));
    const numbers = Array.from({ length: 100_000 }, (_, index) => `91${9_000_000_000 + index * 7919}`);
    expect(numbers.every((number) => plan.perSegment(number) === Number(number.slice(0, 4)) % 100)).toBe(true);
  });
});
