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

/**
 * Answers of a slow source, kept for a short time. Callers that ask at the same moment share one read; faults are not
 * kept, and neither is what was being read while it was forgotten. Bounded in size.
 */
export class TtlCache<Key extends string | number, Value> {
  private readonly entries;

  /** @param ttlMs how long an answer counts; @param most entries at once, beyond which the least used goes */
  constructor(ttlMs: number, most = 20_000) {
    this.entries = boundedCache<Key, Promise<Value>>(most, { ttlMs });
  }

  /** The kept answer, or the one that is being read; undefined when there is neither. */
  known(key: Key): Promise<Value> | undefined {
    return this.entries.get(key);
  }

  /** The kept answer, else that of `read`. */
  get(key: Key, read: () => Promise<Value>): Promise<Value> {
    const known = this.entries.get(key);
    if (known) return known;
    const value = read();
    this.entries.set(key, value);
    value.catch(() => {
      if (this.entries.peek(key) === value) this.entries.delete(key);
    });
    return value;
  }

  /** The next question for this key reads again. */
  delete(key: Key): void {
    this.entries.delete(key);
  }

  /** The next question reads again, whatever its key. */
  clear(): void {
    this.entries.clear();
  }
}
