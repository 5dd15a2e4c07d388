interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

/**
 * Lets calls that arrive at the same moment share one round trip: items gather for at most `delayMs`
 * (or until `maxItems`), `flush` handles them in one go, and each caller gets its own answer.
 * One flush runs at a time; what arrives meanwhile gathers for the next.
 */
export class GroupCommit<Item, Result> {
  private waiting: Waiting<Item, Result>[] = [];
  private running = false;
  private timer: NodeJS.Timeout | null = null;
  private idle: (() => void)[] = [];

  /** @param flush answers one result per item, in order; its rejection rejects every caller of that group */
  constructor(
    private readonly flush: (items: Item[]) => Promise<Result[]>,
    private readonly options: { maxItems: number; delayMs: number },
  ) {}

  /** Joins the next group; resolves with this item's own result after its flush. */
  add(item: Item): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      this.schedule();
    });
  }

  /** Items that wait or are being flushed. */
  get busy(): boolean {
    return this.running || this.waiting.length > 0;
  }

  /** Resolves when nothing waits and nothing runs (graceful stop). */
  drained(): Promise<void> {
    return this.busy ? new Promise((resolve) => this.idle.push(resolve)) : Promise.resolve();
  }

  private schedule(): void {
    if (this.running) return;
    if (this.waiting.length >= this.options.maxItems) {
      if (this.timer) clearTimeout(this.timer);
      this.timer = null;
      void this.run();
    } else if (!this.timer) {
      this.timer = setTimeout(() => {
        this.timer = null;
        void this.run();
      }, this.options.delayMs);
    }
  }

  private async run(): Promise<void> {
    this.running = true;
    const group = this.waiting.splice(0, this.options.maxItems);
    try {
      const results = await this.flush(group.map((entry) => entry.item));
      group.forEach((entry, index) => entry.resolve(results[index] as Result));
    } catch (error) {
      group.forEach((entry) => entry.reject(error));
    } finally {
      this.running = false;
      if (this.waiting.length > 0) void this.run();
      else for (const resolve of this.idle.splice(0)) resolve();
    }
  }
}
