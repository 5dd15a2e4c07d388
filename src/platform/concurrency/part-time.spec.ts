import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { PartTime } from './part-time.js';

describe('work that has a share of the time', () => {
  it('is done one piece after the other, and pauses as long as its share asks for', async () => {
    const workshop = new PartTime(1 / 4);
    const spans: [number, number][] = [];
    const piece = async (): Promise<number> => {
      const begun = performance.now();
      await sleep(20);
      return spans.push([begun, performance.now()]);
    };
    expect(await Promise.all([workshop.run(piece), workshop.run(piece), workshop.run(piece)])).toEqual([1, 2, 3]);
    for (const [place, [begun, ended]] of spans.entries()) {
      const next = spans[place + 1];
      // timers are exact to a millisecond
      if (next) expect(next[0] - ended).toBeGreaterThan(3 * (ended - begun) - 3);
    }
  });

  it('goes on after a piece that failed', async () => {
    const workshop = new PartTime(1);
    const failed = workshop.run(() => Promise.reject(new Error('no')));
    const next = workshop.run(() => Promise.resolve('yes'));
    await expect(failed).rejects.toThrow('no');
    expect(await next).toBe('yes');
  });
});
