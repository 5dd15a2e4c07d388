import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { boundedCache, TtlCache } from './caches.js';

const TTL_MS = 1_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('a cache of answers', () => {
  let reads: number;
  let cache: TtlCache<string, number>;
  const read = (): Promise<number> => Promise.resolve(++reads);

  beforeEach(async () => {
    reads = 0;
    cache = new TtlCache(TTL_MS, 2);
    await vi.advanceTimersByTimeAsync(1);
  });

  it('keeps an answer for its time, also one that is asked for again and again', async () => {
    expect(cache.known('a')).toBeUndefined();
    expect(await cache.get('a', read)).toBe(1);
    await vi.advanceTimersByTimeAsync(TTL_MS - 1);
    expect(await cache.get('a', read)).toBe(1);
    expect(await cache.known('a')).toBe(1);
    await vi.advanceTimersByTimeAsync(2);
    expect(cache.known('a')).toBeUndefined();
    expect(await cache.get('a', read)).toBe(2);
  });

  it('shares one read among those that ask at the same moment', async () => {
    expect(await Promise.all([cache.get('a', read), cache.get('a', read)])).toEqual([1, 1]);
  });

  it('keeps no fault', async () => {
    await expect(cache.get('a', () => Promise.reject(new Error('fault')))).rejects.toThrow('fault');
    expect(await cache.get('a', read)).toBe(1);
  });

  it('keeps nothing that was being read while it was forgotten', async () => {
    const [all, one] = [cache.get('a', read), cache.get('b', read)];
    cache.clear();
    expect(await cache.get('a', read)).toBe(3);
    const own = cache.get('b', read);
    cache.delete('b');
    await Promise.all([all, one, own]);
    expect(await cache.get('b', read)).toBe(5);
    expect(await cache.get('a', read)).toBe(3);
  });

  it('forgets what was not used for longest when it is full', async () => {
    for (const key of ['a', 'b']) await cache.get(key, read);
    await cache.known('a');
    await cache.get('c', read);
    expect([await cache.known('a'), cache.known('b'), await cache.known('c')]).toEqual([1, undefined, 3]);
  });
});

describe('a bounded cache', () => {
  it('holds as much as it was made for, counted by size where entries have one', () => {
    const cache = boundedCache<string, string>(5, { sizeOf: (text) => text.length });
    cache.set('a', '12').set('b', '345');
    expect([...cache.keys()].sort()).toEqual(['a', 'b']);
    cache.set('c', '6');
    expect([...cache.keys()].sort()).toEqual(['b', 'c']);
  });

  it('lets each entry have a time of its own', async () => {
    const cache = boundedCache<number, string>(5);
    await vi.advanceTimersByTimeAsync(1);
    cache.set(1, 'for ever').set(2, 'soon', { ttl: 10 });
    await vi.advanceTimersByTimeAsync(11);
    expect([cache.get(1), cache.get(2)]).toEqual(['for ever', undefined]);
  });
});
