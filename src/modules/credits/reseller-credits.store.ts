import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { BalanceName } from './balances.js';
import { CreditBook } from './credit-book.store.js';

const FROM_GRANTS = 'FROM reseller_grants WHERE reseller_id = ? AND account_id = ? AND balance = ?';

export interface ResellerMove {
  resellerId: number;
  clientId: number;
  balance: BalanceName;
  amount: number;
  note: string | null;
  /** as stored in each account's ledger (`kernel/maker.ts`) */
  makers: { reseller: string; client: string };
}

/**
 * Moves credits between a reseller and its clients (reference/accounts#resellers). A reseller takes back at most what it
 * granted (docs/decisions/0008). Locks the grants row before the balances in both directions.
 */
@Injectable()
export class ResellerCredits {
  constructor(private readonly book: CreditBook) {}

  /** Returns false if the reseller has fewer; the caller must then roll back. */
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

  /** Returns false without a change if the client has fewer, or the reseller granted fewer. */
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

  async takeable(tx: EntityManager, resellerId: number, clientId: number, balance: BalanceName): Promise<number> {
    const rows = await tx.query<{ amount: number }[]>(`SELECT amount ${FROM_GRANTS}`, [resellerId, clientId, balance]);
    return Math.min(rows[0]?.amount ?? 0, await this.book.available(clientId, balance, tx));
  }
}
