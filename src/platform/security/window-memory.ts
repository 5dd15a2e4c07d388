import { boundedCache } from '../caches/index.js';

interface Window {
  count: number;
  until: number;
}

const MOST_WINDOWS = 100_000;

/** Fixed windows in this process: the fall-back of `RateCounters.add` while Redis is away. */
export class WindowMemory {
  private readonly windows = boundedCache<string, Window>(MOST_WINDOWS);

  /** Adds `amount` to the key's window (begun now when there is none). @returns the count and the milliseconds left */
  add(key: string, amount: number, windowMs: number): { count: number; leftMs: number } {
    const now = Date.now();
    let window = this.windows.get(key);
    if (!window || window.until <= now) {
      window = { count: 0, until: now + windowMs };
      this.windows.set(key, window);
    }
    window.count += amount;
    return { count: window.count, leftMs: window.until - now };
  }
}
