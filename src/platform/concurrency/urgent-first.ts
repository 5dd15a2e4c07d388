import Denque from 'denque';

/** So many urgent items in a row leave before one of the others has a turn. */
const URGENT_IN_A_ROW = 9;

/**
 * A queue in which urgent items stand in front, each kind in the order in which it came. While both kinds wait, every tenth
 * turn is one of the others, so that no flood of urgent items holds the others up for ever.
 */
export class UrgentFirst<Item> {
  private readonly urgent = new Denque<Item>();
  private readonly others = new Denque<Item>();
  /** urgent items that have left since one of the others did */
  private inARow = 0;

  get length(): number {
    return this.urgent.length + this.others.length;
  }

  push(item: Item, isUrgent = false): void {
    (isUrgent ? this.urgent : this.others).push(item);
  }

  /** The item whose turn it is. */
  shift(): Item | undefined {
    const isUrgent = this.urgent.length > 0 && (this.inARow < URGENT_IN_A_ROW || this.others.length === 0);
    this.inARow = isUrgent ? this.inARow + 1 : 0;
    return (isUrgent ? this.urgent : this.others).shift();
  }

  /** Takes out what `isOver` says is to go; the others keep their order. */
  remove(isOver: (item: Item) => boolean): Item[] {
    return [...removeFrom(this.urgent, isOver), ...removeFrom(this.others, isOver)];
  }
}

/** Each item is taken from the front and goes back behind the others, which keeps the order. */
function removeFrom<Item>(queue: Denque<Item>, isOver: (item: Item) => boolean): Item[] {
  const over: Item[] = [];
  for (let left = queue.length; left > 0; left--) {
    const item = queue.shift() as Item;
    if (isOver(item)) over.push(item);
    else queue.push(item);
  }
  return over;
}
