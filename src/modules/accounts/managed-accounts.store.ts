import { Injectable } from '@nestjs/common';
import { type EntityManager, IsNull } from 'typeorm';
import { fieldErrors } from '../../kernel/errors.js';
import { AccountStore } from './accounts.store.js';
import { assertManager, assertMaySee, isStaff } from './domain/account-policy.js';
import { accountErrors } from './domain/account.errors.js';
import type { Account } from './domain/account.js';
import { AccountEntity } from './tables.js';

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
   * Id of the account that is named as parent; null and '' are none. Only an account that may manage clients can be one.
   * @throws AppError 400: unknown, or a plain client
   */
  async parentId(username: string | null): Promise<number | null> {
    if (username === null || username === '') return null;
    const parent = await this.store.rowByUsername(username);
    if (!parent) throw fieldErrors.invalid('parent_username');
    if (!isStaff(parent.userType)) throw accountErrors.noManager();
    return parent.id;
  }

  /** @throws AppError 400 when the account itself stands on the way up from the new parent */
  assertNoCircle(accountId: number, parentId: number): Promise<void> {
    return scanUp(accountId, parentId, (id) => this.store.rowById(id));
  }

  /**
   * The same with every row on the way locked, so that of two changes at the same moment that would close a circle
   * together one waits, or is run again, and sees the other.
   */
  lockedNoCircle(tx: EntityManager, accountId: number, parentId: number): Promise<void> {
    return scanUp(accountId, parentId, (id) => this.store.lockById(tx, id));
  }

  /**
   * Holds the parent's row until the transaction ends, so that it stays one that may manage clients.
   * @throws AppError 400 when it is none any more
   */
  async holdParent(tx: EntityManager, parentId: number): Promise<void> {
    const parent = await this.store.lockById(tx, parentId);
    if (!parent || !isStaff(parent.userType)) throw accountErrors.noManager();
  }

  /**
   * Clients need a manager: an account that has some stays what it is until they have another parent.
   * @param tx holds the account's row, so that no account gets it as parent meanwhile
   * @throws AppError 409 `Account has clients`
   */
  async assertNoClients(tx: EntityManager, accountId: number): Promise<void> {
    if (await tx.existsBy(AccountEntity, { parentId: accountId })) throw accountErrors.hasClients();
  }

  /**
   * The last super stays active and unexpired (reference/accounts#roles): after the change one must be left that is
   * active and has no expiry at all. All supers are held, so that two of them cannot close each other at the same
   * moment.
   */
  async update(tx: EntityManager, row: AccountEntity, patch: Partial<AccountEntity>): Promise<void> {
    const lasting = { userType: 'super', isActive: true, expiresAt: IsNull() };
    const guarded = row.userType === 'super' && row.isActive && row.expiresAt === null;
    if (guarded) await tx.query("UPDATE accounts SET held = held + 1 WHERE user_type = 'super' ORDER BY id");
    await tx.update(AccountEntity, { id: row.id }, patch);
    if (guarded && !(await tx.existsBy(AccountEntity, lasting))) throw accountErrors.forbidden();
  }
}

async function scanUp(
  accountId: number,
  parentId: number,
  rowOf: (id: number) => Promise<AccountEntity | null>,
): Promise<void> {
  const seen = new Set<number>();
  for (let id: number | null = parentId; id !== null && !seen.has(id);) {
    if (id === accountId) throw accountErrors.parentCircle();
    seen.add(id);
    id = (await rowOf(id))?.parentId ?? null;
  }
}
