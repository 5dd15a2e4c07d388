import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PeriodicTask } from './periodic-task.js';

const EVERY_MS = 1_000;

describe('a periodic task', () => {
  let begun: number;
  let faults: unknown[];
  /** ends of the runs under way */
  let ends: ((error?: Error) => void)[];
  let task: PeriodicTask;
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
    const work = (): Promise<void> => {
      begun += 1;
      return new Promise((resolve, reject) => ends.push((error) => (error ? reject(error) : resolve())));
    };
    task = new PeriodicTask(EVERY_MS, work, (error) => faults.push(error));
  });
  afterEach(() => vi.useRealTimers());

  it('runs at every tick, and never twice at once', async () => {
    task.start();
    task.start();
    expect(begun).toBe(0);
    await tick(3);
    expect(begun).toBe(1);
    await end();
    expect(begun).toBe(1);
    await tick();
    expect(begun).toBe(2);
  });

  it('goes on after a fault, which it reports', async () => {
    task.start();
    await tick();
    await end(new Error('fault'));
    expect(faults).toEqual([new Error('fault')]);
    await tick();
    expect(begun).toBe(2);
  });

  it('runs at once where asked to, unless a run is under way, and with other work too', async () => {
    const other: string[] = [];
    const otherWork = (): Promise<void> => Promise.resolve(void other.push('done'));
    task.start();
    void task.runNow();
    void task.runNow();
    void task.runNow(otherWork);
    expect({ begun, other }).toEqual({ begun: 1, other: [] });
    await end();
    void task.runNow(otherWork);
    expect({ begun, other }).toEqual({ begun: 1, other: ['done'] });
  });

  it('runs once more for all requests during a run, after a fault too', async () => {
    task.start();
    void task.request();
    void task.request();
    void task.request();
    expect(begun).toBe(1);
    await end(new Error('fault'));
    expect(begun).toBe(2);
    await end();
    expect(begun).toBe(2);
  });

  it('waits at the stop for the run under way, and begins no other', async () => {
    void task.runNow();
    expect({ begun, isStopped: task.isStopped }).toEqual({ begun: 0, isStopped: true });
    task.start();
    await tick();
    void task.request();
    let isOver = false;
    const stopped = task.stop().then(() => (isOver = true));
    void task.request();
    await tick(2);
    expect({ isOver, isStopped: task.isStopped }).toEqual({ isOver: false, isStopped: true });
    await end();
    await stopped;
    void task.request();
    await tick(2);
    expect(begun).toBe(1);
  });
});
