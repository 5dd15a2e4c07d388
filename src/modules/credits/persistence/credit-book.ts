import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { now } from '../../../kernel/clock.js';
import type { WriteResult } from '../../../platform/database/index.js';
import { BALANCES, type BalanceName, type LedgerKind } from '../domain/balances.js';

interface LedgerLine {
  amount: number;
  available: number;
  kind: LedgerKind;
  requestId: string | null;
  note: string | null;
}

/**
 * The only writer of balances and ledger. Every movement is one conditional UPDATE and its ledger entries in the
 * caller's transaction, so the stored balance is the ledger's sum at every commit. Amounts are whole credits.
 * The UPDATE locks the balance until the commit: callers make it their last step (docs of the engine).
 */
@Injectable()
export class CreditBook {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** What the account has now, read without a lock: cheap refusals and answers only, the debit is the judge. */
  async available(accountId: number, balance: BalanceName, source: DataSource | EntityManager = this.dataSource) {
    const rows = await source.query<{ available: number }[]>(
      'SELECT available FROM credit_balances WHERE account_id = ? AND balance = ?',
      [accountId, balance],
    );
    return rows[0]?.available ?? 0;
  }

  /** Creates the six balances of a new account; what it starts with stands in the ledger as grants. */
  async open(
    tx: EntityManager,
    accountId: number,
    starting: Partial<Record<BalanceName, number>>,
    note = 'Starting credits',
  ): Promise<void> {
    await tx.query(
      `INSERT INTO credit_balances (account_id, balance, available) VALUES ${BALANCES.map(() => '(?, ?, ?)').join(', ')}`,
      BALANCES.flatMap((balance) => [accountId, balance, starting[balance] ?? 0]),
    );
    for (const balance of BALANCES) {
      const amount = starting[balance] ?? 0;
      if (amount > 0) {
        await this.append(tx, accountId, balance, [
          { amount, available: amount, kind: 'grant', requestId: null, note },
        ]);
      }
    }
  }

  /**
   * Takes the sum of all entries, or nothing: one UPDATE whatever the number of requests that share it.
   * Entries of 0 are skipped and leave no ledger line.
   * @returns false when the balance is lower than the sum; nothing has changed then
   */
  async debit(
    tx: EntityManager,
    accountId: number,
    balance: BalanceName,
    entries: readonly { requestId: string; amount: number }[],
  ): Promise<boolean> {
    const charged = entries.filter((entry) => entry.amount !== 0);
    for (const entry of charged) assertAmount(entry.amount);
    const total = charged.reduce((sum, entry) => sum + entry.amount, 0);
    if (total === 0) return true;
    const after = await this.move(tx, accountId, balance, -total);
    if (after === null) return false;
    let available = after + total;
    const lines = charged.map(({ requestId, amount }): LedgerLine => {
      available -= amount;
      return { amount: -amount, available, kind: 'debit', requestId, note: null };
    });
    await this.append(tx, accountId, balance, lines);
    return true;
  }

  /** Gives back what a request was charged (reference/credits#refunds); the caller sees to it that it happens once. */
  async refund(
    tx: EntityManager,
    accountId: number,
    balance: BalanceName,
    amount: number,
    requestId: string,
    note: string | null,
  ): Promise<void> {
    await this.add(tx, accountId, balance, amount, 'refund', requestId, note);
  }

  /** Adds credits; `requestId` only where a request is the reason. */
  async grant(
    tx: EntityManager,
    accountId: number,
    balance: BalanceName,
    amount: number,
    note: string | null,
    requestId: string | null = null,
  ): Promise<void> {
    await this.add(tx, accountId, balance, amount, 'grant', requestId, note);
  }

  /**
   * Takes credits that were granted away again.
   * @returns false when there are fewer; nothing has changed then
   */
  async takeBack(
    tx: EntityManager,
    accountId: number,
    balance: BalanceName,
    amount: number,
    note: string | null,
  ): Promise<boolean> {
    assertAmount(amount);
    const available = await this.move(tx, accountId, balance, -amount);
    if (available === null) return false;
    await this.append(tx, accountId, balance, [
      { amount: -amount, available, kind: 'take_back', requestId: null, note },
    ]);
    return true;
  }

  /**
   * Moves credits from one account to another (a reseller and its client): a take-back there, a grant here.
   * Both rows are locked in the order of the account ids, so that opposite transfers never deadlock.
   * @returns false when the giver has fewer; nothing has changed then
   */
  async transfer(
    tx: EntityManager,
    fromAccountId: number,
    toAccountId: number,
    balance: BalanceName,
    amount: number,
    note: string | null,
  ): Promise<boolean> {
    await tx.query(
      'SELECT available FROM credit_balances WHERE account_id IN (?, ?) AND balance = ? ORDER BY account_id FOR UPDATE',
      [fromAccountId, toAccountId, balance],
    );
    if (!(await this.takeBack(tx, fromAccountId, balance, amount, note))) return false;
    await this.grant(tx, toAccountId, balance, amount, note);
    return true;
  }

  private async add(
    tx: EntityManager,
    accountId: number,
    balance: BalanceName,
    amount: number,
    kind: LedgerKind,
    requestId: string | null,
    note: string | null,
  ): Promise<void> {
    if (amount === 0) return;
    assertAmount(amount);
    const available = await this.move(tx, accountId, balance, amount);
    if (available === null) throw new Error(`Account ${accountId} has no balance ${balance}`);
    await this.append(tx, accountId, balance, [{ amount, available, kind, requestId, note }]);
  }

  /**
   * One statement decides and tells: LAST_INSERT_ID(expression) brings the new balance back in the answer's insertId,
   * so that no second read is needed (neither server may rely on RETURNING).
   * @returns the balance after the move, or null when it would fall below zero
   */
  private async move(
    tx: EntityManager,
    accountId: number,
    balance: BalanceName,
    delta: number,
  ): Promise<number | null> {
    const [sign, condition] = delta < 0 ? ['-', 'AND available >= ?'] : ['+', ''];
    const amount = Math.abs(delta);
    const result = await tx.query<WriteResult>(
      `UPDATE credit_balances SET available = LAST_INSERT_ID(available ${sign} ?)
       WHERE account_id = ? AND balance = ? ${condition}`,
      delta < 0 ? [amount, accountId, balance, amount] : [amount, accountId, balance],
    );
    return result.affectedRows === 0 ? null : result.insertId;
  }

  private async append(tx: EntityManager, accountId: number, balance: BalanceName, lines: LedgerLine[]): Promise<void> {
    const at = now();
    await tx.query(
      `INSERT INTO credit_ledger (account_id, balance, amount, available, kind, request_id, note, created_at)
       VALUES ${lines.map(() => '(?, ?, ?, ?, ?, ?, ?, ?)').join(', ')}`,
      lines.flatMap((line) => [
        accountId,
        balance,
        line.amount,
        line.available,
        line.kind,
        line.requestId,
        line.note,
        at,
      ]),
    );
  }
}

function assertAmount(amount: number): void {
  if (!Number.isSafeInteger(amount) || amount <= 0) throw new RangeError(`Not an amount of credits: ${amount}`);
}
