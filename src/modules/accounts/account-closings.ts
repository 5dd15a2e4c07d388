import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { inTransaction, type WriteResult } from '../../platform/database/index.js';
import type { Account } from './domain/account.js';

export interface AccountClosing {
  accountId: number;
  actor: Account;
}

/** A module with running work of accounts. */
export interface ClosingListener {
  /** Stops a bounded part in a transaction that locks the account. Returns true if there may be more. */
  stopSome(tx: EntityManager, closing: AccountClosing): Promise<boolean>;
}

/** Notifies registered modules of deactivated accounts, without depending on them. */
@Injectable()
export class AccountClosings {
  private readonly listeners: ClosingListener[] = [];

  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  register(listener: ClosingListener): void {
    this.listeners.push(listener);
  }

  /** Stops work in steps after the closing has committed; a later closing or activation continues after a crash. */
  async finish(closing: AccountClosing): Promise<void> {
    for (const listener of this.listeners) {
      const step = (tx: EntityManager): Promise<boolean> => this.step(tx, listener, closing);
      for (let more = true; more;) more = await inTransaction(this.dataSource, step);
    }
  }

  /** A concurrent activation waits for this transaction and ends the loop. */
  private async step(tx: EntityManager, listener: ClosingListener, closing: AccountClosing): Promise<boolean> {
    const held: WriteResult = await tx.query('UPDATE accounts SET held = held + 1 WHERE id = ? AND is_active = 0', [
      closing.accountId,
    ]);
    return held.affectedRows === 1 && listener.stopSome(tx, closing);
  }
}
