import Denque from 'denque';

/** First in, first out; gives out what is due. */
export class DueQueue<Item extends { dueAt: number }> {
  private readonly items = new Denque<Item>();

  get length(): number {
    return this.items.length;
  }

  push(item: Item): void {
    this.items.push(item);
  }

  /** The next one, if it is due. @param now on the clock of `performance.now()` */
  take(now: number): Item | null {
    const item = this.items.peekFront();
    if (!item || item.dueAt > now) return null;
    this.items.shift();
    return item;
  }

  clear(): void {
    this.items.clear();
  }
}
