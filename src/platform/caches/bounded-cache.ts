import { LRUCache } from 'lru-cache';

type Key = string | number;
/** Anything but null and undefined, which say that there is no entry. */
type Value = string | number | boolean | object;

/** A cache of at most so many entries; see `boundedCache`. */
export type BoundedCache<K extends Key, V extends Value> = LRUCache<K, V>;

/**
 * A map of at most `most` entries, beyond which the one that was not used for longest goes. Entries are counted by
 * `maxSize`, since the `max` of lru-cache reserves the memory of a full cache at once, and most caches stay nearly empty.
 * @param ttlMs how long an entry counts; without it for ever, or for what `set` says
 * @param sizeOf how much of `most` an entry takes, where that is not one
 */
export const boundedCache = <K extends Key, V extends Value>(
  most: number,
  { ttlMs, sizeOf = () => 1 }: { ttlMs?: number; sizeOf?: (value: V) => number } = {},
): BoundedCache<K, V> =>
  new LRUCache({
    maxSize: most,
    sizeCalculation: sizeOf,
    ttlResolution: 0,
    // Asked for anew each time, so that a test may put another clock in its place.
    perf: { now: () => performance.now() },
    ...(ttlMs !== undefined && { ttl: ttlMs }),
  });
