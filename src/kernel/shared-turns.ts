import { Turns } from './turns.js';

/** How much of some work runs at once. */
export interface Shares {
  /** in all */
  places: number;
  /** of one key */
  each: number;
  /** who waits longer for either is refused */
  patienceMs: number;
  /** pieces of one key that wait at most; what comes on top is refused at once */
  waiting: number;
}

/**
 * Turns of which nobody takes more than his share: the slow work of one customer leaves places for everybody else's.
 */
export class SharedTurns<Key> {
  private readonly all: Turns;
  private readonly shares = new Map<Key, Turns>();

  /** @param refusal the error of who gets no turn */
  constructor(
    private readonly limits: Shares,
    private readonly refusal: () => Error,
  ) {
    this.all = new Turns(limits.places, limits.patienceMs, refusal);
  }

  /** The result of `work`, begun when a place is free. @throws what `refusal` makes, else what `work` throws */
  async take<T>(key: Key, work: () => Promise<T>): Promise<T> {
    const { each, patienceMs, waiting } = this.limits;
    const share = this.shares.get(key) ?? new Turns(each, patienceMs, this.refusal, waiting);
    this.shares.set(key, share);
    try {
      return await share.take(() => this.all.take(work));
    } finally {
      if (share.isIdle) this.shares.delete(key);
    }
  }
}
