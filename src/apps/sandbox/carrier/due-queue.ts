const COMPACT_AT = 4_096;

/** First in, first out, without moving what waits; gives out what is due. */
export class DueQueue<Item extends { dueAt: number }> {
  private items: Item[] = [];
  private head = 0;

  get length(): number {
    return this.items.length - this.head;
  }

  push(item: Item): void {
    this.items.push(item);
  }

  /** The next one, if it is due. @param now on the clock of `performance.now()` */
  take(now: number): Item | null {
    const item = this.items[this.head];
    if (!item || item.dueAt > now) return null;
    this.head += 1;
    if (this.head >= COMPACT_AT && this.head * 2 >= this.items.length) {
      this.items = this.items.slice(this.head);
      this.head = 0;
    }
    return item;
  }

  clear(): void {
    this.items = [];
    this.head = 0;
  }
}
