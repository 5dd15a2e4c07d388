import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Rounds } from './rounds.js';

const EVERY_MS = 1_000;

describe('rounds', () => {
  let begun: number;
  let faults: unknown[];
  /** ends of the rounds under way */
  let ends: ((error?: Error) => void)[];
  let rounds: Rounds;
  const tick = (times = 1): Promise<unknown> => vi.advanceTimersByTimeAsync(times * EVERY_MS);
  const end = async (error?: Error): Promise<void> => {
    for (const settle of ends.splice(0)) settle(error);
    await vi.advanceTimersByTimeAsync(0);
  };

  beforeEach(() => {
    vi.useFakeTimers();
    begun = 0;
    faults = [];
    ends = [];
    const round = (): Promise<void> => {
      begun += 1;
      return new Promise((resolve, reject) => ends.push((error) => (error ? reject(error) : resolve())));
    };
    rounds = new Rounds(EVERY_MS, round, (error) => faults.push(error));
  });
  afterEach(() => vi.useRealTimers());

  it('come at every tick, and never two at once', async () => {
    rounds.start();
    rounds.start();
    expect(begun).toBe(0);
    await tick(3);
    expect(begun).toBe(1);
    await end();
    expect(begun).toBe(1);
    await tick();
    expect(begun).toBe(2);
  });

  it('go on after a fault, which is told', async () => {
    rounds.start();
    await tick();
    await end(new Error('fault'));
    expect(faults).toEqual([new Error('fault')]);
    await tick();
    expect(begun).toBe(2);
  });

  it('begin at once where asked to, unless one is under way, and with other work too', async () => {
    const other: string[] = [];
    const work = (): Promise<void> => Promise.resolve(void other.push('done'));
    rounds.start();
    rounds.begin();
    rounds.begin();
    rounds.begin(work);
    expect({ begun, other }).toEqual({ begun: 1, other: [] });
    await end();
    rounds.begin(work);
    expect({ begun, other }).toEqual({ begun: 1, other: ['done'] });
  });

  it('make up once for all rings during a round, after a fault too', async () => {
    rounds.start();
    rounds.ring();
    rounds.ring();
    rounds.ring();
    expect(begun).toBe(1);
    await end(new Error('fault'));
    expect(begun).toBe(2);
    await end();
    expect(begun).toBe(2);
  });

  it('wait at the stop for the one under way, and begin no other', async () => {
    rounds.begin();
    expect({ begun, areStopped: rounds.areStopped }).toEqual({ begun: 0, areStopped: true });
    rounds.start();
    await tick();
    rounds.ring();
    let isOver = false;
    const stopped = rounds.stop().then(() => (isOver = true));
    rounds.ring();
    await tick(2);
    expect({ isOver, areStopped: rounds.areStopped }).toEqual({ isOver: false, areStopped: true });
    await end();
    await stopped;
    rounds.ring();
    await tick(2);
    expect(begun).toBe(1);
  });
});
