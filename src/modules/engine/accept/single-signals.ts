import { Injectable } from '@nestjs/common';
import { SingleNotices } from '../../../platform/queues/index.js';
import { CreditBook } from '../../credits/index.js';
import { type DraftHead, leavesNow } from './recipient-page.js';

interface Payable {
  draft: DraftHead;
  /** recipients */
  total: number;
  sum: { charged: number };
}

/** Signals of messages of one recipient (docs/decisions/0064). */
@Injectable()
export class SingleSignals {
  constructor(
    private readonly credits: CreditBook,
    private readonly notices: SingleNotices,
  ) {}

  /**
   * Tells workers of messages of one recipient that leave now, once one of them is known to be paid. It reads the balances
   * itself, at most as often as there is something to tell: the group does not wait for it. Never fails.
   */
  async tell(payable: readonly Payable[]): Promise<void> {
    if (!this.notices.isDue) return;
    const single = payable.filter(({ draft, total }) => total === 1 && leavesNow(draft));
    if (single.length === 0) return;
    const reading = this.credits.availableIn(single.map(({ draft }) => draft)).catch(() => () => -1);
    const availableOf = await reading;
    if (single.some(({ draft, sum }) => sum.charged <= availableOf(draft))) this.notices.tell();
  }
}
