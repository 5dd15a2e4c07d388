import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { RedisLink } from '../redis/index.js';
import { LeaderGate, SharedTask } from './leader-tasks.js';

const EVERY_MS = 1_000;
const SPAN_MS = 100_000;

/** The marks of a Redis, which may be away. */
function redisLink(state: { isAway: boolean }): RedisLink {
  const marks = new Map<string, number>();
  const set = (key: string, _value: string, _px: string, milliseconds: number): Promise<'OK' | null> => {
    if ((marks.get(key) ?? -Infinity) > performance.now()) return Promise.resolve(null);
    marks.set(key, performance.now() + milliseconds);
    return Promise.resolve('OK');
  };
  const answer = <T>(command: () => Promise<T>): Promise<T | null> =>
    state.isAway ? Promise.resolve(null) : command();
  return { prefix: '{p}', client: { set }, answer } as unknown as RedisLink;
}

describe('a task that one process does for all', () => {
  const state = { isAway: false };
  let done: { by: number; at: number }[];
  let tasks: SharedTask[];
  const start = (processes: number, work: () => Promise<void> = () => Promise.resolve()): void => {
    const redis = redisLink(state);
    tasks = Array.from({ length: processes }, (_, by) => {
      const run = (): Promise<void> => {
        done.push({ by, at: performance.now() });
        return work();
      };
      return new SharedTask(new LeaderGate(redis), {
        name: 'x',
        everyMs: EVERY_MS,
        work: run,
        onFault: () => undefined,
      });
    });
    for (const task of tasks) task.start();
  };
  const times = (): number => done.length;
  const gaps = (): number[] => done.slice(1).map(({ at }, index) => at - (done[index]?.at ?? 0));

  beforeEach(() => {
    vi.useFakeTimers();
    done = [];
    state.isAway = false;
  });
  afterEach(() => {
    for (const task of tasks) void task.stop();
    vi.useRealTimers();
  });

  it.each([1, 2, 50])('is done once a period by %s processes', async (processes) => {
    start(processes);
    await vi.advanceTimersByTimeAsync(SPAN_MS);
    expect(times()).toBeGreaterThan(80);
    expect(times()).toBeLessThan(130);
    expect(Math.max(...gaps())).toBeLessThan(1.16 * EVERY_MS);
    // now by one, now by another
    expect(new Set(done.map(({ by }) => by)).size).toBeGreaterThan(processes / 2);
  });

  it('goes on within a period when the process that did it has died', async () => {
    start(2);
    await vi.advanceTimersByTimeAsync(5 * EVERY_MS);
    const last = done.at(-1);
    await tasks[last?.by ?? 0]?.stop();
    await vi.advanceTimersByTimeAsync(10 * EVERY_MS);
    expect(Math.max(...gaps())).toBeLessThan(2 * EVERY_MS);
    expect(times()).toBeGreaterThan(11);
  });

  it('is left to the others by a process that is still at it', async () => {
    let begun = 0;
    start(2, () => (++begun === 1 ? new Promise(() => undefined) : Promise.resolve()));
    await vi.advanceTimersByTimeAsync(10 * EVERY_MS);
    expect(times()).toBeGreaterThan(7);
    expect(new Set(done.slice(1).map(({ by }) => by)).size).toBe(1);
  });

  it('is done by each process for itself without Redis', async () => {
    state.isAway = true;
    start(3);
    await vi.advanceTimersByTimeAsync(10 * EVERY_MS);
    expect(times()).toBeGreaterThan(3 * 7);
    expect(new Set(done.map(({ by }) => by)).size).toBe(3);
  });
});
