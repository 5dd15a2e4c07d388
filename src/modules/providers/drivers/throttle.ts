const STREAK = 20;
const SHORTEST_MS = 100;
const LONGEST_MS = 5_000;

/**
 * Judges an upstream's "throttled" answers of one connection: a single one only puts its own message off; a streak
 * without any success between puts everything off for a while, longer each time.
 */
export class Throttle {
  private streak = 0;
  private pauses = 0;

  /** The upstream took a message. */
  accepted(): void {
    this.streak = 0;
    this.pauses = 0;
  }

  /** The upstream refused one for its speed. @returns milliseconds for which nothing should leave, 0 = go on */
  throttled(paused: boolean): number {
    this.streak += 1;
    if (paused || this.streak < STREAK) return 0;
    this.streak = 0;
    return this.backoff(this.pauses++);
  }

  /** When the refused message may come again, milliseconds. */
  retryAfterMs(): number {
    return Math.round(this.backoff(this.pauses + 1));
  }

  private backoff(exponent: number): number {
    return Math.min(LONGEST_MS, SHORTEST_MS * 2 ** Math.min(exponent, 10)) * (0.75 + Math.random() / 2);
  }
}
