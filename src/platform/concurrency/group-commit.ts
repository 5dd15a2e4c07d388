interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

export interface Gathering<Item = unknown> {
  /** of one flush, or their total weight; a heavier item is flushed alone */
  maxItems: number;
  weigh?: (item: Item) => number;
  /** milliseconds; 0 = the current tick of the event loop, since timers take at least 1 ms */
  delayMs: number;
  /** parallel flushes; default one, which keeps the order */
  atOnce?: number;
  /** limits of a flush that starts beside another one; default: no wait */
  beside?: Pick<Gathering, 'maxItems' | 'delayMs'>;
  /** whether one item may have caused the fault: then each is flushed alone, until a fault for which this is false */
  isOwn?: (error: unknown) => boolean;
}

/** Single-row reads of one tick of the event loop become one statement; four may run in parallel. */
export const ONE_TICK: Gathering = { maxItems: 500, delayMs: 0, atOnce: 4 };

/** Gathers items for `delayMs` or up to `maxItems`, flushes them together, and returns each caller its own result. */
export class GroupCommit<Item, Result> {
  private waiting: Waiting<Item, Result>[] = [];
  private weight = 0;
  private running = 0;
  private cancel: (() => void) | null = null;
  private idle: (() => void)[] = [];

  /** @param flush returns one result per item, in order; its rejection rejects the group's callers, unless `isOwn` */
  constructor(
    private readonly flush: (items: Item[]) => Promise<Result[]>,
    private readonly options: Gathering<Item>,
  ) {}

  /** Adds an item to the next group. @returns its own result after the flush */
  add(item: Item): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      this.weight += this.weigh(item);
      this.schedule();
    });
  }

  get busy(): boolean {
    return this.running > 0 || this.waiting.length > 0;
  }

  /** Resolves when nothing waits or runs (graceful stop). */
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

  /** Stops at a fault that no single item caused: the remaining items share it instead of each waiting for it again. */
  private async runApart(group: readonly Waiting<Item, Result>[]): Promise<void> {
    for (const [index, { item, resolve, reject }] of group.entries()) {
      try {
        const [result] = await this.flush([item]);
        resolve(result as Result);
      } catch (error) {
        if (this.options.isOwn?.(error)) reject(error);
        else return group.slice(index).forEach((entry) => entry.reject(error));
      }
    }
  }
}

/** Calls back after a delay; 0 ms = the end of this event-loop tick. @returns a function that cancels it */
function later(delayMs: number, work: () => void): () => void {
  if (delayMs === 0) {
    const immediate = setImmediate(work);
    return () => clearImmediate(immediate);
  }
  const timer = setTimeout(work, delayMs);
  return () => clearTimeout(timer);
}

/** Wakes all callers of one interval together, so that their next step can share a round trip (`GroupCommit`). */
export class Beat {
  private next: Promise<void> | null = null;

  constructor(private readonly everyMs: number) {}

  /** Resolves with the next beat. No timer runs without callers. */
  nextBeat(): Promise<void> {
    this.next ??= new Promise((resolve) => {
      setTimeout(() => {
        this.next = null;
        resolve();
      }, this.everyMs);
    });
    return this.next;
  }
}
