import { Injectable } from '@nestjs/common';
import { boundedCache } from '../../../platform/caches/index.js';
import { CreditBook, type Purse } from '../../credits/index.js';
import { InsufficientCredits } from './acceptance.errors.js';

/** What a draft asks of the balance that pays for it. */
interface Asking {
  draft: Purse;
  sum: { charged: number };
}

const KEPT_MS = 60_000;
const MOST_KEPT = 20_000;

/**
 * Refuses what cannot be paid before anything is written, by a read without a lock; the conditional UPDATE of the debit stays
 * the judge. Most balances suffice, so only those are read that fell short within the last minute, and all of a group whose
 * debit was refused: the first shortage of an account costs its group a transaction, further ones a read.
 */
@Injectable()
export class ShortPurses {
  private readonly short = boundedCache<string, true>(MOST_KEPT, { ttlMs: KEPT_MS });

  constructor(private readonly credits: CreditBook) {}

  /**
   * @param asking in the order in which they are charged
   * @param all whether all balances are read
   * @returns the refusal of each that cannot be paid, null for the others
   */
  async refusals(asking: readonly Asking[], all: boolean): Promise<(InsufficientCredits | null)[]> {
    const read = asking.filter(({ draft }) => all || this.short.has(keyOf(draft))).map(({ draft }) => draft);
    if (read.length === 0) return asking.map(() => null);
    const availableOf = await this.credits.availableIn(read);
    const left = new Map(read.map((purse) => [keyOf(purse), availableOf(purse)]));
    return asking.map(({ draft, sum: { charged } }) => {
      const key = keyOf(draft);
      const available = left.get(key) ?? Infinity;
      if (charged > available) {
        this.short.set(key, true);
        return new InsufficientCredits(available, charged);
      }
      left.set(key, available - charged);
      return null;
    });
  }
}

const keyOf = ({ accountId, balance }: Purse): string => `${accountId} ${balance}`;
