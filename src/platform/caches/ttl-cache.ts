import { boundedCache } from './bounded-cache.js';

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
