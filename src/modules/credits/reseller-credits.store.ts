import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { BalanceName } from './balances.js';
import { CreditBook } from './credit-book.store.js';

const FROM_GRANTS = 'FROM reseller_grants WHERE reseller_id = ? AND account_id = ? AND balance = ?';

/** Between whom credits move, and which. */
export interface ResellerMove {
  resellerId: number;
  clientId: number;
  balance: BalanceName;
  /** whole credits, above 0 */
  amount: number;
  note: string | null;
  /** who moves them, as the reseller and as the client keep it (`kernel/maker.ts`) */
  makers: { reseller: string; client: string };
}

/**
 * Credits between a reseller and its clients (reference/accounts#resellers). A reseller takes back no more than it has
 * granted: what a client got from the house (starting credits, grants by staff) is not the reseller's
 * (docs/decisions/0008). The row of grants is locked before the balances, in both directions.
 */
@Injectable()
export class ResellerCredits {
  constructor(private readonly book: CreditBook) {}

  /** @returns false when the reseller has fewer; the caller then ends the transaction with an error */
  async grant(
    tx: EntityManager,
    { resellerId, clientId, balance, amount, note, makers }: ResellerMove,
  ): Promise<boolean> {
    await tx.query(
      `INSERT INTO reseller_grants (reseller_id, account_id, balance, amount) VALUES (?, ?, ?, ?)
       ON DUPLICATE KEY UPDATE amount = amount + ?`,
      [resellerId, clientId, balance, amount, amount],
    );
    const { reseller: from, client: to } = makers;
    return this.book.transfer(tx, resellerId, clientId, balance, amount, note, { from, to });
  }

  /** @returns false when the client has fewer, or was granted fewer; nothing has changed then */
  async takeBack(
    tx: EntityManager,
    { resellerId, clientId, balance, amount, note, makers }: ResellerMove,
  ): Promise<boolean> {
    const of = [resellerId, clientId, balance];
    const rows = await tx.query<{ amount: number }[]>(`SELECT amount ${FROM_GRANTS} FOR UPDATE`, of);
    if ((rows[0]?.amount ?? 0) < amount) return false;
    const { client: from, reseller: to } = makers;
    if (!(await this.book.transfer(tx, clientId, resellerId, balance, amount, note, { from, to }))) return false;
    await tx.query(
      'UPDATE reseller_grants SET amount = amount - ? WHERE reseller_id = ? AND account_id = ? AND balance = ?',
      [amount, ...of],
    );
    return true;
  }

  /** What a reseller could take back: what it granted, as far as the client still has it. */
  async takeable(tx: EntityManager, resellerId: number, clientId: number, balance: BalanceName): Promise<number> {
    const rows = await tx.query<{ amount: number }[]>(`SELECT amount ${FROM_GRANTS}`, [resellerId, clientId, balance]);
    return Math.min(rows[0]?.amount ?? 0, await this.book.available(clientId, balance, tx));
  }
}
