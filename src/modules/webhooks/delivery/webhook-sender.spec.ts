import { describe, expect, it } from 'vitest';
import { holdOf, nextWait } from './webhook-sender.js';

const HOUR = 3_600_000;
const PLAN = [0, 5_000, 300_000, HOUR / 2, 2 * HOUR, 5 * HOUR, 10 * HOUR, 10 * HOUR];

describe('the retry plan (reference/webhooks#tries)', () => {
  it('waits 5 s, 5 min, 30 min, 2 h, 5 h, 10 h and 10 h, then gives up', () => {
    const waits = [1, 2, 3, 4, 5, 6, 7, 8].map((tries) => nextWait(PLAN, tries, null, 0));
    expect(waits).toEqual([5_000, 300_000, HOUR / 2, 2 * HOUR, 5 * HOUR, 10 * HOUR, 10 * HOUR, null]);
  });

  it('adds a tenth of jitter at the most', () => {
    expect(nextWait(PLAN, 1, null, 0.5)).toBe(5_250);
    expect(nextWait(PLAN, 1, null, 1)).toBe(5_500);
  });

  it('waits as long as the endpoint asks, a day at the most, and never shorter than planned', () => {
    expect(nextWait(PLAN, 1, 60_000, 0)).toBe(60_000);
    expect(nextWait(PLAN, 2, 60_000, 0)).toBe(300_000);
    expect(nextWait(PLAN, 1, 1_000 * HOUR, 0)).toBe(24 * HOUR);
    expect(nextWait(PLAN, 8, 60_000, 0)).toBeNull();
  });

  it('leaves an endpoint alone as long as its Retry-After says, a day at the most', () => {
    const at = new Date('2026-11-21T09:30:00Z');
    expect(holdOf('120', at)).toBe(120_000);
    expect(holdOf('Sat, 21 Nov 2026 09:31:00 GMT', at)).toBe(60_000);
    expect(holdOf('99999999', at)).toBe(24 * HOUR);
    expect(holdOf('soon', at)).toBeNull();
    expect(holdOf(undefined, at)).toBeNull();
  });
});
