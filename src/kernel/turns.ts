interface Waiting {
  begin: () => void;
  timer: NodeJS.Timeout;
}

/**
 * Lets a few pieces of work run at once and the others wait, in the order they came. For work that holds much memory or
 * a processor, where more at once would only make all of it slow.
 */
export class Turns {
  private readonly waiting: Waiting[] = [];
  private running = 0;

  /**
   * @param places how much runs at once
   * @param patienceMs who waits longer gets `refusal`
   * @param refusal the error of who gets no turn
   * @param mostWaiting who comes while so many wait is refused at once
   */
  constructor(
    private readonly places: number,
    private readonly patienceMs: number,
    private readonly refusal: () => Error,
    private readonly mostWaiting = Infinity,
  ) {}

  /** True when nothing runs and nobody waits. */
  get isIdle(): boolean {
    return this.running === 0 && this.waiting.length === 0;
  }

  /** The result of `work`, begun when a place is free. @throws what `refusal` makes, else what `work` throws */
  async take<T>(work: () => Promise<T>): Promise<T> {
    if (this.running >= this.places) await this.turn();
    else this.running++;
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next) {
        clearTimeout(next.timer);
        next.begin(); // takes over this place
      } else this.running--;
    }
  }

  private turn(): Promise<void> {
    if (this.waiting.length >= this.mostWaiting) return Promise.reject(this.refusal());
    return new Promise((resolve, reject) => {
      const entry: Waiting = {
        begin: resolve,
        timer: setTimeout(() => {
          this.waiting.splice(this.waiting.indexOf(entry), 1);
          reject(this.refusal());
        }, this.patienceMs),
      };
      this.waiting.push(entry);
    });
  }
}
