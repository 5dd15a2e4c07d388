/** From one look for the server to the next: those that wait go on within it once the server is back. */
const LOOK_EVERY_MS = 200;

/** A wait for the server. */
interface Waiting {
  tryNow: () => void;
  /** whether it is still waited for */
  isWanted: () => boolean;
}

/**
 * Those that wait while no connection to the server comes about: one of them at a time looks again, so that a server which
 * comes back is not met by a crowd of tries; when it has got through, all go on.
 */
export class Outage {
  private waiting: Waiting[] = [];
  private timer: NodeJS.Timeout | null = null;

  /** `tryNow` is called once, later; a try that fails waits anew. */
  wait(tryNow: () => void, isWanted: () => boolean): void {
    this.waiting.push({ tryNow, isWanted });
    this.timer ??= setTimeout(() => this.look(), LOOK_EVERY_MS).unref();
  }

  /** A connection has come about. */
  over(): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
    const all = this.waiting;
    this.waiting = [];
    for (const { tryNow } of all) tryNow();
  }

  private look(): void {
    this.timer = null;
    this.waiting = this.waiting.filter(({ isWanted }) => isWanted());
    const first = this.waiting.shift();
    if (!first) return;
    // The next look comes even where this one hangs: a server behind a line that swallows packets answers no look.
    if (this.waiting.length > 0) this.timer = setTimeout(() => this.look(), LOOK_EVERY_MS).unref();
    first.tryNow();
  }
}
