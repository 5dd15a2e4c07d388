import { describe, expect, it } from 'vitest';
import { blocksOf } from './voice-price.js';

describe('blocksOf', () => {
  it.each([
    [0, 1, 1],
    [1, 1, 1],
    [15_000, 1, 1],
    [15_001, 2, 1],
    [30_000, 2, 1],
    [30_001, 3, 2],
    [45_000, 3, 2],
    [60_000, 4, 2],
    [60_001, 5, 3],
    [75_000, 5, 3],
    [90_000, 6, 3],
    [90_001, 7, 4],
    [105_000, 7, 4],
    [105_010, 8, 4],
    [120_000, 8, 4],
  ])('%i ms: %i blocks on the 15-second plan, %i on the 30-second plan', (milliseconds, fifteen, thirty) => {
    expect([blocksOf(milliseconds, 15), blocksOf(milliseconds, 30)]).toEqual([fifteen, thirty]);
  });
});
