import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { inTransaction, type WriteResult } from '../../platform/database/index.js';
import type { Account } from './domain/account.js';

/** An account that is deactivated, and who asks for what follows from it. */
export interface AccountClosing {
  accountId: number;
  actor: Account;
}

/** A module that has something of accounts under way. */
export interface ClosingListener {
  /**
   * Stops a bounded part of it, within a transaction that holds the deactivated account.
   * @returns whether there may be more
   */
  stopSome(tx: EntityManager, closing: AccountClosing): Promise<boolean>;
}

/** Tells the modules that registered of deactivated accounts; accounts know nothing of what they do with it. */
@Injectable()
export class AccountClosings {
  private readonly listeners: ClosingListener[] = [];

  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  register(listener: ClosingListener): void {
    this.listeners.push(listener);
  }

  /**
   * Stops what is under way, once the account is closed for all to see: however much it is, nothing waits for it. The next
   * request that closes or activates the account stops first what a killed process has left.
   */
  async finish(closing: AccountClosing): Promise<void> {
    for (const listener of this.listeners) {
      const step = (tx: EntityManager): Promise<boolean> => this.step(tx, listener, closing);
      for (let more = true; more;) more = await inTransaction(this.dataSource, step);
    }
  }

  /** A request that activates the account meanwhile waits for the step, and no other follows. */
  private async step(tx: EntityManager, listener: ClosingListener, closing: AccountClosing): Promise<boolean> {
    const held: WriteResult = await tx.query('UPDATE accounts SET held = held + 1 WHERE id = ? AND is_active = 0', [
      closing.accountId,
    ]);
    return held.affectedRows === 1 && listener.stopSome(tx, closing);
  }
}
