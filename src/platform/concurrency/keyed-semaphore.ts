import { Semaphore } from './semaphore.js';

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
