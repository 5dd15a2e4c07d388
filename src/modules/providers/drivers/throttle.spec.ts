import { describe, expect, it } from 'vitest';
import { Throttle } from './throttle.js';

describe('throttling of a connection', () => {
  it('puts off single messages alone while others are taken', () => {
    const throttle = new Throttle();
    for (let i = 0; i < 1_000; i++) {
      expect(throttle.throttled(false)).toBe(0);
      throttle.accepted();
    }
    expect(throttle.retryAfterMs()).toBeGreaterThan(0);
  });

  it('pauses after a streak, longer each time, and forgets with the first success', () => {
    const throttle = new Throttle();
    const pauses: number[] = [];
    while (pauses.length < 10) {
      const pause = throttle.throttled(false);
      if (pause > 0) pauses.push(pause);
    }
    expect(pauses[0]).toBeLessThan(pauses[4] as number);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(5_000 * 1.25);
    throttle.accepted();
    expect(throttle.retryAfterMs()).toBeLessThan(1_000);
  });

  it('begins no second pause while one lasts', () => {
    const throttle = new Throttle();
    for (let i = 0; i < 100; i++) expect(throttle.throttled(true)).toBe(0);
  });
});
