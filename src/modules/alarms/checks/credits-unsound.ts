import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { AccountDirectory } from '../../accounts/index.js';
import { CreditProofs } from '../../credits/index.js';
import type { AlarmCheck, Finding } from '../domain/kinds.js';

/** Proofs of a round: each adds up what an account has moved since the last closing. */
const PROVED_A_ROUND = 5;
/** Each is proved again in every round. */
const MOST_ALARMED = 100;

/**
 * A stored balance is not its ledger's sum, or usage not its debits and refunds. Accounts that moved lately are proved in
 * turn, a few a round; those of which there is an alarm are proved again each time, whichever process has the round.
 */
@Injectable()
export class CreditsUnsound implements AlarmCheck {
  readonly kind = 'credits_unsound';
  /** account → number of the round */
  private readonly proved = new Map<number, number>();
  private rounds = 0;

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly proofs: CreditProofs,
    private readonly accounts: AccountDirectory,
  ) {}

  async find(): Promise<Finding[]> {
    this.rounds += 1;
    const unsound = await this.alarmed();
    const lately = await this.proofs.movedLately();
    const next = lately
      .filter((id) => !unsound.has(id))
      // Processes take turns, and know only what they have proved themselves: of the others by chance.
      .map((id) => ({ id, round: this.proved.get(id) ?? 0, chance: Math.random() }))
      .sort((a, b) => a.round - b.round || a.chance - b.chance)
      .map(({ id }) => id)
      .slice(0, PROVED_A_ROUND);
    const found: Finding[] = [];
    for (const id of [...unsound, ...next]) {
      this.proved.set(id, this.rounds);
      const [fault] = await this.proofs.faultsOf(id);
      if (!fault) continue;
      const username = (await this.accounts.byId(id))?.username ?? String(id);
      const { balance, stored, ledger } = fault;
      const message = `${balance} of ${username}: ${stored} stored, ${ledger} by the ledger${stored === ledger ? ', usage differs' : ''}`;
      found.push({ subject: username, message, value: stored - ledger, threshold: 0 });
    }
    for (const id of this.proved.keys()) if (!lately.includes(id)) this.proved.delete(id);
    return found;
  }

  /** Accounts of which an alarm is not over. */
  private async alarmed(): Promise<ReadonlySet<number>> {
    const rows = await this.dataSource.query<{ subject: string }[]>(
      `SELECT subject FROM alarms FORCE INDEX (ix_alarms_state)
       WHERE state IN ('waiting', 'active') AND kind = ? ORDER BY id LIMIT ${MOST_ALARMED}`,
      [this.kind],
    );
    const accounts = await Promise.all(rows.map(({ subject }) => this.accounts.byUsername(subject)));
    return new Set(accounts.flatMap((account) => (account ? [account.id] : [])));
  }
}
