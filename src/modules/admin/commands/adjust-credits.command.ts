import { Command } from '@nestjs/cqrs';
import type { Account } from '../../accounts/index.js';
import type { BalanceName } from '../../credits/index.js';

/** Grant credits (amount > 0) or take them back (amount < 0); a reseller's come from and return to its own balance. */
export class AdjustCreditsCommand extends Command<{ balance: BalanceName; available: number }> {
  /** @param amount whole credits, not 0 */
  constructor(
    readonly actor: Account,
    readonly username: string,
    readonly balance: BalanceName,
    readonly amount: number,
    readonly note: string | null,
  ) {
    super();
  }
}
