interface Waiting {
  until: number;
  enter(entered: boolean): void;
}

/** Lets a bounded number of sends run at once; the others wait in order, no longer than they may. */
export class SendGate {
  private running = 0;
  private readonly waiting: Waiting[] = [];
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
      const timer = setTimeout(() => {
        this.waiting.splice(this.waiting.indexOf(entry), 1);
        resolve(false);
      }, until - performance.now());
      const entry: Waiting = {
        until,
        enter: (entered) => {
          clearTimeout(timer);
          resolve(entered);
        },
      };
      this.waiting.push(entry);
    });
  }

  /** Gives the place to the next that still may go. */
  leave(): void {
    for (let next = this.waiting.shift(); next; next = this.waiting.shift()) {
      const entered = performance.now() < next.until;
      next.enter(entered);
      if (entered) return;
    }
    this.running -= 1;
    if (this.running === 0) for (const resolve of this.idle.splice(0)) resolve();
  }

  /** Whoever waits is turned away. */
  turnAway(): void {
    for (const waiting of this.waiting.splice(0)) waiting.enter(false);
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
}
