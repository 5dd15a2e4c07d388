import { boundedCache } from '../caches/index.js';

const MOST_MOMENTS = 1_000_000;

interface Hits {
  /** when each stops to count, oldest first, in milliseconds of the process's own clock */
  ends: number[];
}

/**
 * Counted hits in this process, each with the moment at which it stops to count: the fall-back of `RateCounters` while
 * Redis is away. Bounded by the moments that are held; the key that was not asked for longest is forgotten first.
 */
export class HitMemory {
  private readonly keys;

  /** @param most moments that are held */
  constructor(most = MOST_MOMENTS) {
    this.keys = boundedCache<string, Hits>(most, { sizeOf: ({ ends }) => ends.length });
  }

  /** Counts one hit unless `limit` of them count already. @returns milliseconds until one may; 0 = it was counted */
  hit(key: string, limit: number, windowMs: number): number {
    const wait = this.wait(key, limit);
    if (wait > 0) return wait;
    const ends = this.keys.get(key)?.ends ?? [];
    ends.push(performance.now() + windowMs);
    if (ends.length >= 2 * limit) ends.splice(0, ends.length - limit);
    this.keys.set(key, { ends }); // put in anew, so that its size is counted anew
    return 0;
  }

  /** Milliseconds until a hit would be counted; 0 = now. */
  wait(key: string, limit: number): number {
    const decisive = this.keys.get(key)?.ends.at(-limit);
    return decisive === undefined ? 0 : Math.max(0, decisive - performance.now());
  }
}
