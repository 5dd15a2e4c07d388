import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Account } from './domain/account.js';

/** An account that is being deactivated, and by whom. */
export interface AccountClosing {
  accountId: number;
  actor: Account;
}

/** A module that has something of accounts under way. */
export interface ClosingListener {
  /** Stops it within the transaction that deactivates the account. */
  closed(tx: EntityManager, closing: AccountClosing): Promise<void>;
}

/** Announces the deactivation of an account to the modules that registered; accounts know nothing of what they do with it. */
@Injectable()
export class AccountClosings {
  private readonly listeners: ClosingListener[] = [];

  register(listener: ClosingListener): void {
    this.listeners.push(listener);
  }

  async announce(tx: EntityManager, closing: AccountClosing): Promise<void> {
    for (const listener of this.listeners) await listener.closed(tx, closing);
  }
}
