import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { HitMemory } from './rate-counters.js';

const WINDOW_MS = 1_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('counts hits in a window that slides, each key by itself', () => {
  const memory = new HitMemory();
  const hit = (key: string): number => memory.hit(key, 2, WINDOW_MS);
  expect(hit('a')).toBe(0);
  vi.advanceTimersByTime(400);
  expect([hit('a'), hit('a'), hit('b'), memory.wait('a', 2), memory.wait('b', 2)]).toEqual([0, 600, 0, 600, 0]);
  vi.advanceTimersByTime(600);
  expect([hit('a'), hit('a')]).toEqual([0, 400]);
});

it('counts thousands of hits one by one', () => {
  const memory = new HitMemory();
  const waits = Array.from({ length: 10_001 }, () => memory.hit('a', 10_000, WINDOW_MS));
  expect(waits.filter((wait) => wait > 0)).toEqual([WINDOW_MS]);
});

it('forgets the key that was not asked for longest when it is full', () => {
  const memory = new HitMemory(4);
  memory.hit('first', 1, WINDOW_MS);
  for (const key of ['second', 'second', 'third']) memory.hit(key, 2, WINDOW_MS);
  expect(memory.wait('first', 1)).toBe(WINDOW_MS);
  memory.hit('last', 1, WINDOW_MS);
  const waits = [memory.wait('second', 2), memory.wait('first', 1), memory.wait('last', 1)];
  expect(waits).toEqual([0, WINDOW_MS, WINDOW_MS]);
});
