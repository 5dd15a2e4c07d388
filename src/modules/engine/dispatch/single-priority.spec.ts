import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { SingleSignalStream } from '../../../platform/queues/index.js';
import { YieldToSingles } from './single-priority.js';

const FULL = 500;

describe('what batches write', () => {
  let notice = (): void => undefined;
  let yielding: YieldToSingles;
  let begun: string[];
  let ends: Map<string, () => void>;

  beforeEach(() => {
    vi.useFakeTimers();
    yielding = new YieldToSingles({
      listen: (onNotice: () => void) => (notice = onNotice),
    } as unknown as SingleSignalStream);
    yielding.onApplicationBootstrap();
    [begun, ends] = [[], new Map()];
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const write = (name: string, recipients = FULL): Promise<string> =>
    yielding.throttle(recipients, () => {
      begun.push(name);
      return new Promise((resolve) => ends.set(name, () => resolve(name)));
    });
  const end = async (name: string): Promise<void> => {
    ends.get(name)?.();
    await vi.advanceTimersByTimeAsync(0);
  };
  const beginAll = async (...names: string[]): Promise<void> => {
    for (const name of names) void write(name);
    await vi.advanceTimersByTimeAsync(0);
  };

  it('is written side by side while no message of one recipient comes', async () => {
    await beginAll('a', 'b', 'c', 'd');
    expect(begun).toEqual(['a', 'b', 'c', 'd']);
  });

  it('waits, once one comes, for all that is under way, and then goes one by one', async () => {
    await beginAll('a', 'b');
    notice();
    await beginAll('c', 'd');
    await end('a');
    expect(begun).toEqual(['a', 'b']);
    await end('b');
    expect(begun).toEqual(['a', 'b', 'c']);
    await end('c');
    expect(begun).toEqual(['a', 'b', 'c', 'd']);
  });

  it('does not wait where it is of few recipients, or makes no room', async () => {
    notice();
    await beginAll('a', 'b');
    void write('none', 0);
    void write('small', 99);
    void write('full', 100);
    await vi.advanceTimersByTimeAsync(0);
    expect(begun).toEqual(['a', 'none', 'small']);
  });

  it('waits no longer than half a second for what hangs, and what hangs is not taken for another', async () => {
    notice();
    await beginAll('hangs', 'late');
    await vi.advanceTimersByTimeAsync(499);
    expect(begun).toEqual(['hangs']);
    await vi.advanceTimersByTimeAsync(1);
    expect(begun).toEqual(['hangs', 'late']);
    await end('late');
    await beginAll('next');
    expect(begun).toEqual(['hangs', 'late']);
    await end('hangs');
    expect(begun).toEqual(['hangs', 'late', 'next']);
  });

  it('goes side by side again two seconds after the last one came', async () => {
    yielding.received();
    await vi.advanceTimersByTimeAsync(1_000);
    yielding.received(performance.now() - 1_900);
    expect(yielding.isActive).toBe(true);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(yielding.isActive).toBe(false);
    await beginAll('a', 'b');
    expect(begun).toEqual(['a', 'b']);
  });

  it('lets the next one write when it fails', async () => {
    notice();
    const failing = yielding.throttle(FULL, () => Promise.reject(new Error('away')));
    void write('next');
    await expect(failing).rejects.toThrow('away');
    await vi.advanceTimersByTimeAsync(0);
    expect(begun).toEqual(['next']);
  });
});
