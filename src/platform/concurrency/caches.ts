import { LRUCache } from 'lru-cache';

type Key = string | number;
/** Without null and undefined, which mean that there is no entry. */
type Value = string | number | boolean | object;

export type BoundedCache<K extends Key, V extends Value> = LRUCache<K, V>;

/** LRU map. `maxSize`, since `max` of lru-cache reserves the full memory. @param sizeOf share of `most`, default 1 */
export const boundedCache = <K extends Key, V extends Value>(
  most: number,
  { ttlMs, sizeOf = () => 1 }: { ttlMs?: number; sizeOf?: (value: V) => number } = {},
): BoundedCache<K, V> =>
  new LRUCache({
    maxSize: most,
    sizeCalculation: sizeOf,
    ttlResolution: 0,
    // Looked up at each call, so that a test can replace the clock.
    perf: { now: () => performance.now() },
    ...(ttlMs !== undefined && { ttl: ttlMs }),
  });

/** Caches answers of a slow source. Concurrent calls share a read. Faults, and reads pending at `delete`, are not kept. */
export class TtlCache<Key extends string | number, Value> {
  private readonly entries;

  constructor(ttlMs: number, most = 20_000) {
    this.entries = boundedCache<Key, Promise<Value>>(most, { ttlMs });
  }

  /** The cached or pending answer; undefined when there is neither. */
  known(key: Key): Promise<Value> | undefined {
    return this.entries.get(key);
  }

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

  delete(key: Key): void {
    this.entries.delete(key);
  }

  clear(): void {
    this.entries.clear();
  }
}
