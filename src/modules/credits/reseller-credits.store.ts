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

  /** @throws an error that `isOverdrawn` if the reseller has fewer */
  async grant(tx: EntityManager, move: ResellerMove): Promise<void> {
    const { resellerId, clientId, balance, amount } = move;
    await tx.query(
      `INSERT INTO reseller_grants (reseller_id, account_id, balance, amount) VALUES (?, ?, ?, ?)
       ON DUPLICATE KEY UPDATE amount = amount + ?`,
      [resellerId, clientId, balance, amount, amount],
    );
    await this.transfer(tx, 'reseller', move);
  }

  /** Returns false if the reseller granted fewer. @throws an error that `isOverdrawn` if the client has fewer */
  async takeBack(tx: EntityManager, move: ResellerMove): Promise<boolean> {
    const { resellerId, clientId, balance, amount } = move;
    const of = [resellerId, clientId, balance];
    const rows = await tx.query<{ amount: number }[]>(`SELECT amount ${FROM_GRANTS} FOR UPDATE`, of);
    if ((rows[0]?.amount ?? 0) < amount) return false;
    await this.transfer(tx, 'client', move);
    await tx.query(
      'UPDATE reseller_grants SET amount = amount - ? WHERE reseller_id = ? AND account_id = ? AND balance = ?',
      [amount, ...of],
    );
    return true;
  }

  private transfer(tx: EntityManager, giver: keyof ResellerMove['makers'], move: ResellerMove): Promise<void> {
    const { resellerId, clientId, balance, amount, note, makers } = move;
    const reseller = { accountId: resellerId, createdBy: makers.reseller };
    const client = { accountId: clientId, createdBy: makers.client };
    const [from, to] = giver === 'reseller' ? [reseller, client] : [client, reseller];
    return this.book.move(tx, [
      { kind: 'take_back', ...from, balance, amount, note },
      { kind: 'grant', ...to, balance, amount, note },
    ]);
  }

  async takeable(tx: EntityManager, resellerId: number, clientId: number, balance: BalanceName): Promise<number> {
    const rows = await tx.query<{ amount: number }[]>(`SELECT amount ${FROM_GRANTS}`, [resellerId, clientId, balance]);
    return Math.min(rows[0]?.amount ?? 0, await this.book.available(clientId, balance, tx));
  }
}
