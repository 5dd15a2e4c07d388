const COMPACT_AT = 1_024;

interface Waiting {
  until: number;
  enter(entered: boolean): void;
}

/**
 * Lets a bounded number of sends run at once; the others wait in order, no longer than they may. Thousands wait at a time,
 * so one timer serves them all.
 */
export class SendGate {
  private running = 0;
  private waiting: Waiting[] = [];
  /** of the first in `waiting` that still waits */
  private head = 0;
  private timer: NodeJS.Timeout | null = null;
  private timerAt = Infinity;
  private idle: (() => void)[] = [];

  constructor(private readonly places: number) {}

  /** @param until on the clock of `performance.now()`. @returns false when the wait was too long */
  enter(until: number): Promise<boolean> {
    if (performance.now() >= until) return Promise.resolve(false);
    if (this.running < this.places) {
      this.running += 1;
      return Promise.resolve(true);
    }
    return new Promise((resolve) => {
      this.waiting.push({ until, enter: resolve });
      if (until < this.timerAt) this.wakeAt(until);
    });
  }

  /** Gives the place to the next that still may go. */
  leave(): void {
    for (let next = this.take(); next; next = this.take()) {
      const entered = performance.now() < next.until;
      next.enter(entered);
      if (entered) return;
    }
    this.running -= 1;
    if (this.running === 0) for (const resolve of this.idle.splice(0)) resolve();
  }

  /** Whoever waits is turned away. */
  turnAway(): void {
    for (let next = this.take(); next; next = this.take()) next.enter(false);
  }

  /** Resolves when nothing runs, at the latest after `milliseconds`. */
  drained(milliseconds: number): Promise<void> {
    if (this.running === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.idle.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  private take(): Waiting | null {
    const next = this.waiting[this.head];
    if (!next) return null;
    this.head += 1;
    if (this.head === this.waiting.length) this.wakeAt(Infinity);
    if (this.head >= COMPACT_AT && this.head * 2 >= this.waiting.length) {
      this.waiting = this.waiting.slice(this.head);
      this.head = 0;
    }
    return next;
  }

  private wakeAt(moment: number): void {
    if (this.timer) clearTimeout(this.timer);
    this.timerAt = moment;
    this.timer = moment === Infinity ? null : setTimeout(() => this.turnLateAway(), moment - performance.now());
  }

  private turnLateAway(): void {
    const now = performance.now();
    const still = this.waiting.slice(this.head);
    this.waiting = still.filter(({ until }) => until > now);
    this.head = 0;
    this.wakeAt(this.waiting.reduce((earliest, { until }) => Math.min(earliest, until), Infinity));
    for (const waiting of still) if (waiting.until <= now) waiting.enter(false);
  }
}
