const MOST_MOMENTS = 1_000_000;

/**
 * Counted hits in this process, each with the moment at which it stops to count: the fall-back of `RateCounters` while
 * Redis is away. Memory is bounded.
 */
export class HitMemory {
  /** per key the ends of its hits, oldest first, in milliseconds of the process's own clock */
  private readonly ends = new Map<string, number[]>();
  private held = 0;

  /** Counts one hit unless `limit` of them count already. @returns milliseconds until one may; 0 = it was counted */
  hit(key: string, limit: number, windowMs: number): number {
    const wait = this.wait(key, limit);
    if (wait > 0) return wait;
    if (this.held >= MOST_MOMENTS) this.sweep();
    let ends = this.ends.get(key);
    if (!ends) this.ends.set(key, (ends = []));
    ends.push(performance.now() + windowMs);
    this.held++;
    if (ends.length >= 2 * limit) this.held -= ends.splice(0, ends.length - limit).length;
    return 0;
  }

  /** Milliseconds until a hit would be counted; 0 = now. */
  wait(key: string, limit: number): number {
    const decisive = this.ends.get(key)?.at(-limit);
    return decisive === undefined ? 0 : Math.max(0, decisive - performance.now());
  }

  private sweep(): void {
    const at = performance.now();
    for (const [key, ends] of this.ends) {
      if ((ends.at(-1) ?? 0) > at) continue;
      this.ends.delete(key);
      this.held -= ends.length;
    }
    if (this.held < MOST_MOMENTS) return;
    this.ends.clear();
    this.held = 0;
  }
}
