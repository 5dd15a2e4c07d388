import { Injectable } from '@nestjs/common';
import { boundedCache } from '../../../platform/caches/index.js';
import { CreditBook, type Purse, purseKey } from '../../credits/index.js';
import { InsufficientCredits } from './acceptance.errors.js';

/** What a draft asks of the balance that pays for it, and what is written before that is debited. */
interface Asking {
  draft: Purse;
  total: number;
  sum: { charged: number };
  alongside?: unknown;
}

/** A balance that is remembered costs its group a read, one that was forgotten a transaction. */
const KEPT_MS = 3_600_000;
const MOST_KEPT = 100_000;

/**
 * Refuses what cannot be paid before anything is written, by a read without a lock; the conditional UPDATE of the debit stays
 * the judge. A draft of one recipient and nothing else is as quickly written as its balance is read, and most balances suffice:
 * of these only those are read that fell short lately, and all of a group whose debit was refused.
 */
@Injectable()
export class ShortBalances {
  private readonly short = boundedCache<string, true>(MOST_KEPT, { ttlMs: KEPT_MS });

  constructor(private readonly credits: CreditBook) {}

  /**
   * @param asking in the order in which they are charged
   * @param all whether all balances are read
   * @returns the refusal of each that cannot be paid, null for the others
   */
  async refusals(asking: readonly Asking[], all: boolean): Promise<(InsufficientCredits | null)[]> {
    const read = asking.filter((each) => all || isDear(each) || this.short.has(purseKey(each.draft)));
    if (read.length === 0) return asking.map(() => null);
    const availableOf = await this.credits.availableIn(read.map(({ draft }) => draft));
    const left = new Map(read.map(({ draft }) => [purseKey(draft), availableOf(draft)]));
    return asking.map(({ draft, sum: { charged } }) => {
      const key = purseKey(draft);
      const available = left.get(key);
      if (available === undefined) return null;
      if (charged > available) {
        this.short.set(key, true);
        return new InsufficientCredits(available, charged);
      }
      this.short.delete(key);
      left.set(key, available - charged);
      return null;
    });
  }
}

/** Whether much would be written in vain. */
const isDear = ({ total, alongside }: Asking): boolean => total > 1 || alongside !== undefined;
