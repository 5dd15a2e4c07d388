import { Injectable } from '@nestjs/common';
import { AccountDirectory } from '../../accounts/index.js';
import { CreditProofs } from '../../credits/index.js';
import type { AlarmCheck, Finding } from '../domain/kinds.js';

/** Proofs of a round: each adds up what an account has moved since the last closing. */
const PROVED_A_ROUND = 5;

/**
 * A stored balance is not its ledger's sum, or usage not its debits and refunds. Accounts that moved lately are proved in
 * turn, a few a round; those that were unsound are proved again each time.
 */
@Injectable()
export class CreditsUnsound implements AlarmCheck {
  readonly kind = 'credits_unsound';
  /** account → number of the round */
  private readonly proved = new Map<number, number>();
  private readonly unsound = new Set<number>();
  private rounds = 0;

  constructor(
    private readonly proofs: CreditProofs,
    private readonly accounts: AccountDirectory,
  ) {}

  async find(): Promise<Finding[]> {
    this.rounds += 1;
    const lately = await this.proofs.movedLately();
    const next = lately
      .filter((id) => !this.unsound.has(id))
      .sort((a, b) => (this.proved.get(a) ?? 0) - (this.proved.get(b) ?? 0))
      .slice(0, PROVED_A_ROUND);
    const found: Finding[] = [];
    for (const id of [...this.unsound, ...next]) {
      this.proved.set(id, this.rounds);
      const [fault] = await this.proofs.faultsOf(id);
      if (!fault) {
        this.unsound.delete(id);
        continue;
      }
      this.unsound.add(id);
      const username = (await this.accounts.byId(id))?.username ?? String(id);
      const { balance, stored, ledger } = fault;
      const message = `${balance} of ${username}: ${stored} stored, ${ledger} by the ledger${stored === ledger ? ', usage differs' : ''}`;
      found.push({ subject: username, message, value: stored - ledger, threshold: 0 });
    }
    for (const id of this.proved.keys()) if (!lately.includes(id)) this.proved.delete(id);
    return found;
  }
}
