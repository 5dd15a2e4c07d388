import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Metrics } from '../../../platform/observability/index.js';
import type { RedisLink } from '../../../platform/redis/index.js';
import { UrgentBound } from './urgent-bound.js';

const TARGET_MS = 10;

describe('the bound of campaigns', () => {
  let bound: UrgentBound;
  let inRedis: string | null;
  let metrics: Metrics;

  beforeEach(() => {
    vi.useFakeTimers();
    vi.advanceTimersByTime(60_000);
    inRedis = null;
    metrics = new Metrics();
    const redis = { answer: () => Promise.resolve(inRedis) } as unknown as RedisLink;
    bound = new UrgentBound({ URGENT_COMMIT_TARGET: TARGET_MS }, redis, metrics);
  });
  afterEach(() => void vi.useRealTimers());

  const commit = async (milliseconds: number): Promise<void> => {
    bound.received();
    const measured = bound.measure(() => new Promise<void>((resolve) => void setTimeout(resolve, milliseconds)));
    await vi.advanceTimersByTimeAsync(milliseconds);
    await measured;
  };
  /** What a worker that sends campaigns is told every quarter of a second. */
  const followed = async (
    seconds: number,
    whileIt: () => Promise<void> = () => Promise.resolve(),
  ): Promise<number[]> => {
    const seen: number[] = [];
    for (let quarter = 0; quarter < 4 * seconds; quarter++) {
      await whileIt();
      await vi.advanceTimersByTimeAsync(250);
      void bound.most;
      await vi.advanceTimersByTimeAsync(0);
      seen.push(bound.most);
    }
    return seen;
  };
  const rising = (values: readonly number[]): number[] => [...new Set(values)];

  it('is none while no urgent message comes', async () => {
    expect(rising(await followed(3))).toEqual([Infinity]);
  });

  it('is one from the first urgent message on, and none again two seconds after the last', async () => {
    bound.received();
    expect(bound.most).toBe(1);
    await vi.advanceTimersByTimeAsync(1_999);
    expect(bound.most).not.toBe(Infinity);
    await vi.advanceTimersByTimeAsync(1);
    expect(bound.most).toBe(Infinity);
  });

  it('rises by one a second, to four, while their commits are quick', async () => {
    expect(rising(await followed(8, () => commit(TARGET_MS)))).toEqual([1, 2, 3, 4]);
  });

  it('falls to half, and to one, while the p95 is too long', async () => {
    await followed(8, () => commit(TARGET_MS));
    expect(rising(await followed(4, () => commit(TARGET_MS + 1)))).toEqual([2, 1]);
  });

  it('follows the p95 and not the mean: one slow commit of ten counts, one of a hundred does not', async () => {
    for (let count = 0; count < 63; count++) await commit(1);
    await commit(50);
    void bound.most;
    await vi.advanceTimersByTimeAsync(0);
    await vi.advanceTimersByTimeAsync(1_000);
    void bound.most;
    await vi.advanceTimersByTimeAsync(0);
    expect(bound.most).toBe(2);
    for (let count = 0; count < 9; count++) await commit(1);
    for (let count = 0; count < 5; count++) await commit(50);
    await vi.advanceTimersByTimeAsync(250);
    void bound.most;
    await vi.advanceTimersByTimeAsync(0);
    expect(bound.most).toBe(1);
  });

  it('follows other workers of the cell, by what stands in Redis', async () => {
    inRedis = '2.50';
    expect(rising(await followed(8))).toEqual([1, 2, 3, 4]);
    inRedis = '11.00';
    expect(rising(await followed(4))).toEqual([2, 1]);
    inRedis = null;
    expect((await followed(4)).at(-1)).toBe(Infinity);
  });

  it('begins with one again after a pause', async () => {
    await followed(8, () => commit(1));
    await followed(4);
    bound.received();
    expect(bound.most).toBe(1);
  });

  it('tells operators the p95 in seconds, and 0 without urgent messages', async () => {
    const shown = async (): Promise<number | undefined> =>
      (await metrics.registry.getSingleMetric('switchboard_urgent_commit_p95_seconds')?.get())?.values[0]?.value;
    await commit(8);
    expect(await shown()).toBe(0.008);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(await shown()).toBe(0);
  });

  it('falls while a commit hangs, and does not rise while none is known', async () => {
    await followed(8, () => commit(1));
    void bound.measure(() => new Promise(() => undefined));
    expect((await followed(3, () => Promise.resolve(bound.received()))).at(-1)).toBe(1);
  });

  it('passes on what a commit throws', async () => {
    bound.received();
    await expect(bound.measure(() => Promise.reject(new Error('away')))).rejects.toThrow('away');
    expect(bound.most).toBe(1);
  });
});
