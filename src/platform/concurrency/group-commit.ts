interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

/** How items are gathered. */
export interface Gathering<Item = unknown> {
  /** of one flush, or what they weigh together; one that weighs more goes alone */
  maxItems: number;
  /** what an item counts as; absent = one */
  weigh?: (item: Item) => number;
  /** milliseconds; 0 = what comes in one turn of the event loop, because a timer of 0 takes one at least */
  delayMs: number;
  /** flushes that may run side by side; without it one, so that order is kept */
  atOnce?: number;
  /** how long and for how many one waits that begins beside another, which may end before; absent = not at all */
  beside?: Pick<Gathering, 'maxItems' | 'delayMs'>;
  /** whether a fault may lie in one item: then those of its group go one by one, up to a fault of which that is not so */
  isOwn?: (error: unknown) => boolean;
}

/** Reads of single rows that are asked for in one turn of the event loop become one statement; a few may be under way. */
export const ONE_TICK: Gathering = { maxItems: 500, delayMs: 0, atOnce: 4 };

/**
 * Lets calls that arrive at the same moment share one round trip: items gather for at most `delayMs`
 * (or until `maxItems`), `flush` handles them in one go, and each caller gets its own answer.
 * What arrives while as many flushes run as may gathers for the next.
 */
export class GroupCommit<Item, Result> {
  private waiting: Waiting<Item, Result>[] = [];
  /** of all that waits */
  private weight = 0;
  private running = 0;
  private cancel: (() => void) | null = null;
  private idle: (() => void)[] = [];

  /** @param flush answers one result per item, in order; its rejection rejects every caller of that group, unless `isOwn` */
  constructor(
    private readonly flush: (items: Item[]) => Promise<Result[]>,
    private readonly options: Gathering<Item>,
  ) {}

  /** Joins the next group; resolves with this item's own result after its flush. */
  add(item: Item): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      this.weight += this.weigh(item);
      this.schedule();
    });
  }

  /** Items that wait or are being flushed. */
  get busy(): boolean {
    return this.running > 0 || this.waiting.length > 0;
  }

  /** Resolves when nothing waits and nothing runs (graceful stop). */
  drained(): Promise<void> {
    return this.busy ? new Promise((resolve) => this.idle.push(resolve)) : Promise.resolve();
  }

  private schedule(): void {
    const { atOnce = 1, beside } = this.options;
    if (this.running >= atOnce) return;
    const { maxItems, delayMs } = this.running > 0 && beside ? beside : this.options;
    if (this.weight >= maxItems) {
      void this.run();
    } else this.cancel ??= later(delayMs, () => void this.run());
  }

  private weigh(item: Item): number {
    return this.options.weigh?.(item) ?? 1;
  }

  private next(): Waiting<Item, Result>[] {
    let [count, weight] = [0, 0];
    for (const { item } of this.waiting) {
      const more = this.weigh(item);
      if (count > 0 && weight + more > this.options.maxItems) break;
      count += 1;
      weight += more;
    }
    this.weight -= weight;
    return this.waiting.splice(0, count);
  }

  private async run(): Promise<void> {
    this.cancel?.();
    this.cancel = null;
    this.running += 1;
    const group = this.next();
    try {
      const results = await this.flush(group.map((entry) => entry.item));
      group.forEach((entry, index) => entry.resolve(results[index] as Result));
    } catch (error) {
      if (group.length > 1 && this.options.isOwn?.(error)) await this.runApart(group);
      else group.forEach((entry) => entry.reject(error));
    } finally {
      this.running -= 1;
      if (this.waiting.length > 0) {
        if (this.running > 0 && this.options.beside) this.schedule();
        else void this.run();
      } else if (this.running === 0) for (const resolve of this.idle.splice(0)) resolve();
    }
  }

  /** Up to a fault that lies in none of them: those that are left share it, where each would wait for the same again. */
  private async runApart(group: readonly Waiting<Item, Result>[]): Promise<void> {
    for (const [place, { item, resolve, reject }] of group.entries()) {
      try {
        const [result] = await this.flush([item]);
        resolve(result as Result);
      } catch (error) {
        if (this.options.isOwn?.(error)) reject(error);
        else return group.slice(place).forEach((entry) => entry.reject(error));
      }
    }
  }
}

/** Calls back after a time, or, for 0 ms, once this turn of the event loop is over. @returns what calls it off */
function later(delayMs: number, work: () => void): () => void {
  if (delayMs === 0) {
    const immediate = setImmediate(work);
    return () => clearImmediate(immediate);
  }
  const timer = setTimeout(work, delayMs);
  return () => clearTimeout(timer);
}

/**
 * Wakes those who wait at the same moment: within `everyMs` of the first of them. What they then do together can share a round
 * trip (`GroupCommit`), which a timer for each of them would not bring about.
 */
export class Beat {
  private next: Promise<void> | null = null;

  constructor(private readonly everyMs: number) {}

  /** Resolves with the next beat; there is none while it is not asked for. */
  heard(): Promise<void> {
    this.next ??= new Promise((resolve) => {
      setTimeout(() => {
        this.next = null;
        resolve();
      }, this.everyMs);
    });
    return this.next;
  }
}
