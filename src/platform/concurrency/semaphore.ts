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

interface Waiting {
  /** clock of `performance.now()` */
  until: number;
  enter: (entered: boolean) => void;
}

/** How long, and how much, work waits for a permit in `run`. */
export interface Patience {
  /** a piece of work that waits longer gets `refusal` */
  patienceMs: number;
  /** a piece of work that comes while so many wait is refused at once; without it there is no limit */
  mostWaiting?: number;
  /** the error of work that gets no permit */
  refusal: () => Error;
}

/**
 * Lets a few pieces of work run at once; the others wait in the order in which they came, urgent ones in front (see
 * `UrgentFirst`), each until a moment of its own.
 * For work that holds much memory or a processor, where more at once would only make all of it slow. Thousands may wait,
 * so one timer serves them all.
 */
export class Semaphore {
  private readonly waiting = new UrgentFirst<Waiting>();
  private running = 0;
  private timer: NodeJS.Timeout | null = null;
  private timerAt = Infinity;
  private idle: (() => void)[] = [];

  /**
   * @param permits how much runs at once; a function where that changes: what waits hears of more when something ends
   * @param patience of `run`; callers of `acquire` say with each call how long they wait
   */
  constructor(
    private readonly permits: number | (() => number),
    private readonly patience: Patience = { patienceMs: Infinity, refusal: () => new Error('Too many wait') },
  ) {}

  /** True when nothing runs and nothing waits. */
  get isIdle(): boolean {
    return this.running === 0 && this.waiting.length === 0;
  }

  /**
   * The result of `work`, begun when a permit is free.
   * @param until the patience of work that has waited elsewhere, on the clock of `performance.now()`
   * @throws what `refusal` makes, else what `work` throws
   */
  async run<T>(work: () => Promise<T>, until = performance.now() + this.patience.patienceMs): Promise<T> {
    if (!this.tryAcquire()) await this.turn(until);
    try {
      return await work();
    } finally {
      this.release();
    }
  }

  /**
   * A permit, to be given back with `release`.
   * @param until on the clock of `performance.now()`
   * @param isUrgent stands in front of those that wait
   * @returns false when there was none by then
   */
  acquire(until: number, isUrgent = false): Promise<boolean> {
    if (performance.now() >= until) return Promise.resolve(false);
    return this.tryAcquire() ? Promise.resolve(true) : this.wait(until, isUrgent);
  }

  /** Hands the permit to the next that may still have it, and further ones that there are by now. */
  release(): void {
    this.running -= 1;
    while (this.running < this.limit()) {
      const next = this.take();
      if (!next) break;
      const entered = performance.now() < next.until;
      if (entered) this.running += 1;
      next.enter(entered);
    }
    if (this.running === 0) for (const resolve of this.idle.splice(0)) resolve();
  }

  /** Everything that waits is turned away. */
  refuseWaiting(): void {
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

  /** A permit, to be given back with `release`. @returns false when there is none at once */
  tryAcquire(): boolean {
    if (this.running >= this.limit()) return false;
    this.running += 1;
    return true;
  }

  private limit(): number {
    return typeof this.permits === 'number' ? this.permits : this.permits();
  }

  private async turn(until: number): Promise<void> {
    const { mostWaiting = Infinity, refusal } = this.patience;
    if (this.waiting.length >= mostWaiting) throw refusal();
    if (!(await this.wait(until))) throw refusal();
  }

  private wait(until: number, isUrgent = false): Promise<boolean> {
    return new Promise((resolve) => {
      this.waiting.push({ until, enter: resolve }, isUrgent);
      if (until < this.timerAt) this.wakeAt(until);
    });
  }

  private take(): Waiting | undefined {
    const next = this.waiting.shift();
    if (this.waiting.length === 0) this.wakeAt(Infinity);
    return next;
  }

  private wakeAt(moment: number): void {
    if (moment === this.timerAt) return;
    if (this.timer) clearTimeout(this.timer);
    this.timerAt = moment;
    this.timer = moment === Infinity ? null : setTimeout(() => this.turnLateAway(), moment - performance.now());
  }

  private turnLateAway(): void {
    const now = performance.now();
    this.timerAt = Infinity;
    this.timer = null;
    let earliest = Infinity;
    const late = this.waiting.remove(({ until }) => {
      if (until > now) earliest = Math.min(earliest, until);
      return until <= now;
    });
    for (const { enter } of late) enter(false);
    this.wakeAt(earliest);
  }
}

/** How much of some work runs at once. */
export interface Shares {
  /** in all */
  permits: number;
  /** of one key */
  each: number;
  /** work that waits longer for all of them is refused */
  patienceMs: number;
  /** pieces of one key that wait at most; what comes on top is refused at once */
  waiting: number;
}

/**
 * A semaphore of which no key takes more than its share: the slow work of one customer leaves permits for that
 * of the others.
 */
export class KeyedSemaphore<Key> {
  private readonly all: Semaphore;
  private readonly shares = new Map<Key, Semaphore>();

  /** @param refusal the error of work that gets no permit */
  constructor(
    private readonly limits: Shares,
    private readonly refusal: () => Error,
  ) {
    this.all = new Semaphore(limits.permits, { patienceMs: limits.patienceMs, refusal });
  }

  /** The result of `work`, begun when a permit is free. @throws what `refusal` makes, else what `work` throws */
  run<T>(key: Key, work: () => Promise<T>): Promise<T> {
    return this.runOf([key], work);
  }

  /** The same for work of which each key has a share. Their order is the same for all work: else two of them could wait for each other. */
  runOf<T>(keys: readonly Key[], work: () => Promise<T>): Promise<T> {
    return this.enter(keys, work, performance.now() + this.limits.patienceMs);
  }

  private async enter<T>(keys: readonly Key[], work: () => Promise<T>, until: number): Promise<T> {
    const [key, ...others] = keys;
    if (key === undefined) return this.all.run(work, until);
    const { each, patienceMs, waiting: mostWaiting } = this.limits;
    const share = this.shares.get(key) ?? new Semaphore(each, { patienceMs, mostWaiting, refusal: this.refusal });
    this.shares.set(key, share);
    try {
      return await share.run(() => this.enter(others, work, until), until);
    } finally {
      if (share.isIdle) this.shares.delete(key);
    }
  }
}
