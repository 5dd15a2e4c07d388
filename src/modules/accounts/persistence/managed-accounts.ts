import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { accountErrors } from '../domain/account-errors.js';
import type { Account } from '../domain/account.js';
import { assertManager, assertMaySee } from '../domain/account-policy.js';
import type { AccountEntity } from './account.entity.js';
import { AccountStore } from './account-store.js';

/** Accounts as their managers (super, admin, reseller) reach them: never from the cache. */
@Injectable()
export class ManagedAccounts {
  constructor(private readonly store: AccountStore) {}

  /**
   * @throws AppError 403 `Permission denied` without `client_management`; 404 for an account that is unknown, or not
   * a reseller's own client
   */
  async row(actor: Account, username: string, source?: EntityManager): Promise<AccountEntity> {
    assertManager(actor);
    const row = await this.store.rowByUsername(username, source);
    if (!row) throw accountErrors.notFound();
    assertMaySee(actor, row);
    return row;
  }

  /** The same as a plain record. */
  async find(actor: Account, username: string, source?: EntityManager): Promise<Account> {
    return this.store.toAccount(await this.row(actor, username, source));
  }

  /**
   * Id of the account that is named as parent; null and '' are none.
   * @param childId an account is not its own parent
   */
  async parentId(username: string | null, childId: number | null): Promise<number | null> {
    if (username === null || username === '') return null;
    const parent = await this.store.rowByUsername(username);
    if (!parent || parent.id === childId) throw accountErrors.invalid('parent_username');
    return parent.id;
  }
}
