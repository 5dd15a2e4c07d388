interface Window {
  count: number;
  until: number;
}

const MAX_KEYS = 100_000;

/** Fixed windows in this process: the fall-back of `RateCounters.add` while Redis is away. Memory is bounded. */
export class WindowMemory {
  private readonly windows = new Map<string, Window>();

  /** Adds `amount` to the key's window (begun now when there is none). @returns the count and the milliseconds left */
  add(key: string, amount: number, windowMs: number): { count: number; leftMs: number } {
    const now = Date.now();
    let window = this.windows.get(key);
    if (!window || window.until <= now) {
      if (this.windows.size >= MAX_KEYS) this.sweep(now);
      window = { count: 0, until: now + windowMs };
      this.windows.set(key, window);
    }
    window.count += amount;
    return { count: window.count, leftMs: window.until - now };
  }

  private sweep(now: number): void {
    for (const [key, window] of this.windows) if (window.until <= now) this.windows.delete(key);
    if (this.windows.size >= MAX_KEYS) this.windows.clear();
  }
}
