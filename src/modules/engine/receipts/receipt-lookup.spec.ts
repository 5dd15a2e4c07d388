import { describe, expect, it } from 'vitest';
import { spansOf } from './receipt-lookup.js';

/** The days ago that a condition takes, until a year ago; today is 0. */
function daysOf(condition: string): number[] {
  const ago = [...condition.matchAll(/INTERVAL (\d+) DAY/g)].map(([, days]) => Number(days));
  const [oldest = 0, newest = 0] = ago;
  return Array.from({ length: oldest - newest + 1 }, (_, index) => newest + index);
}

describe('the days in which receipts are looked up', () => {
  it.each([8, 9, 10, 37])('are each in one part, until %d days ago, newest first', (oldest) => {
    const [lately, before] = spansOf(oldest);
    expect(lately?.parts.map(daysOf)).toEqual([[0], [1]]);
    expect(daysOf(lately?.days ?? '')).toEqual([0, 1]);
    const older = Array.from({ length: oldest - 1 }, (_, index) => index + 2);
    expect(before?.parts.flatMap(daysOf)).toEqual(older);
    expect(daysOf(before?.days ?? '')).toEqual(older);
  });

  it('are taken by ever more at a time', () => {
    expect(spansOf(10)[1]?.parts.map((part) => daysOf(part).length)).toEqual([1, 2, 4, 2]);
  });
});
