import Denque from 'denque';

const URGENT_IN_A_ROW = 9;

/** FIFO queue with urgent items first. Every tenth item is a normal one, so that urgent items cannot starve the others. */
export class UrgentFirst<Item> {
  private readonly urgent = new Denque<Item>();
  private readonly others = new Denque<Item>();
  private inARow = 0;

  get length(): number {
    return this.urgent.length + this.others.length;
  }

  push(item: Item, isUrgent = false): void {
    (isUrgent ? this.urgent : this.others).push(item);
  }

  shift(): Item | undefined {
    const isUrgent = this.urgent.length > 0 && (this.inARow < URGENT_IN_A_ROW || this.others.length === 0);
    this.inARow = isUrgent ? this.inARow + 1 : 0;
    return (isUrgent ? this.urgent : this.others).shift();
  }

  /** Removes items for which `isOver` is true; the others keep their order. */
  remove(isOver: (item: Item) => boolean): Item[] {
    return [...removeFrom(this.urgent, isOver), ...removeFrom(this.others, isOver)];
  }
}

/** Rotates the queue once, which keeps the order. */
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
  /** on the clock of `performance.now()` */
  until: number;
  enter: (entered: boolean) => void;
}

export interface Patience {
  /** milliseconds */
  patienceMs: number;
  /** more waiting work is refused at once; default: no limit */
  mostWaiting?: number;
  refusal: () => Error;
}

/** Limits concurrent work that needs much memory or CPU; other work waits, urgent first. One timer serves thousands. */
export class Semaphore {
  private readonly waiting = new UrgentFirst<Waiting>();
  private running = 0;
  private timer: NodeJS.Timeout | null = null;
  private timerAt = Infinity;
  private idle: (() => void)[] = [];

  /** @param permits a function if it changes: an increase takes effect at the next release @param patience of `run` only */
  constructor(
    private readonly permits: number | (() => number),
    private readonly patience: Patience = { patienceMs: Infinity, refusal: () => new Error('Too many wait') },
  ) {}

  get isIdle(): boolean {
    return this.running === 0 && this.waiting.length === 0;
  }

  /** Runs `work` with a permit. @param until clock of `performance.now()` @throws `refusal()`, or what `work` throws */
  async run<T>(work: () => Promise<T>, until = performance.now() + this.patience.patienceMs): Promise<T> {
    if (!this.tryAcquire()) await this.waitOrRefuse(until);
    try {
      return await work();
    } finally {
      this.release();
    }
  }

  /** Waits for a permit; return it with `release`. @param until clock of `performance.now()` @returns false on timeout */
  acquire(until: number, isUrgent = false): Promise<boolean> {
    if (performance.now() >= until) return Promise.resolve(false);
    return this.tryAcquire() ? Promise.resolve(true) : this.wait(until, isUrgent);
  }

  /** Returns a permit and gives all free permits to waiters that have not timed out. */
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

  /** Takes a permit; return it with `release`. @returns false when none is free */
  tryAcquire(): boolean {
    if (this.running >= this.limit()) return false;
    this.running += 1;
    return true;
  }

  private limit(): number {
    return typeof this.permits === 'number' ? this.permits : this.permits();
  }

  private async waitOrRefuse(until: number): Promise<void> {
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
    this.timer = moment === Infinity ? null : setTimeout(() => this.refuseLate(), moment - performance.now());
  }

  private refuseLate(): void {
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

export interface Shares {
  /** in total */
  permits: number;
  /** per key */
  each: number;
  patienceMs: number;
  /** per key; more is refused at once */
  waiting: number;
}

/** A semaphore with a limit per key: slow work of one customer leaves permits for the others. */
export class KeyedSemaphore<Key> {
  private readonly all: Semaphore;
  private readonly shares = new Map<Key, Semaphore>();

  constructor(
    private readonly limits: Shares,
    private readonly refusal: () => Error,
  ) {
    this.all = new Semaphore(limits.permits, { patienceMs: limits.patienceMs, refusal });
  }

  /** Runs `work` with a permit. @throws `refusal()`, or what `work` throws */
  run<T>(key: Key, work: () => Promise<T>): Promise<T> {
    return this.runOf([key], work);
  }

  /** The same with a permit of each key. Callers must pass keys in one global order, else two may deadlock. */
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
