import { Inject, Injectable } from '@nestjs/common';
import { type EntityManager, IsNull } from 'typeorm';
import { fieldErrors } from '../../kernel/errors.js';
import { type Environment, ENVIRONMENT } from '../../platform/config/index.js';
import { type AccountChanges, accountPatch } from './account-changes.js';
import { AccountStore } from './accounts.store.js';
import { assertManager, assertMayChange, assertMaySee, isStaff } from './domain/account-policy.js';
import { accountErrors } from './domain/account.errors.js';
import type { Account } from './domain/account.js';
import { USER_TYPES } from './domain/account.js';
import { assertRight } from './domain/rights.js';
import { SessionStore } from './sessions/sessions.store.js';
import { AccountEntity } from './tables.js';

/** Reads and changes accounts for their managers, uncached. */
@Injectable()
export class ManagedAccounts {
  constructor(
    private readonly store: AccountStore,
    private readonly sessions: SessionStore,
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'APP_TIME_ZONE'>,
  ) {}

  /** @throws AppError 403 `Permission denied` without `client_management`; 404 if unknown or not the reseller's client */
  async row(actor: Account, username: string, source?: EntityManager): Promise<AccountEntity> {
    assertManager(actor);
    const row = await this.store.rowByUsername(username, source);
    if (!row) throw accountErrors.notFound();
    assertMaySee(actor, row);
    return row;
  }

  async find(actor: Account, username: string, source?: EntityManager): Promise<Account> {
    return this.store.toAccount(await this.row(actor, username, source));
  }

  /**
   * As `find`, for changes of its logins and keys. @throws AppError also 403 `Forbidden`; `Permission denied` for people whose role
   * does not reach the logins of the own account
   */
  async changeable(actor: Account, username: string, source?: EntityManager): Promise<Account> {
    const account = await this.find(actor, username, source);
    assertMayChange(actor, account);
    if (account.id === actor.id) assertRight(actor, 'account');
    return account;
  }

  /** Returns the parent's id; null and '' = none. @throws AppError 400 if unknown, or a plain client */
  async parentId(username: string | null): Promise<number | null> {
    if (username === null || username === '') return null;
    const parent = await this.store.rowByUsername(username);
    if (!parent) throw fieldErrors.invalid('parent_username');
    if (!isStaff(parent.userType)) throw accountErrors.noManager();
    return parent.id;
  }

  /** @throws AppError 400 if the account is an ancestor of its new parent */
  assertNoCircle(accountId: number, parentId: number): Promise<void> {
    return scanUp(accountId, parentId, (id) => this.store.rowById(id));
  }

  /** Locks every ancestor, so that of two concurrent changes that would form a cycle one waits or retries. */
  lockedNoCircle(tx: EntityManager, accountId: number, parentId: number): Promise<void> {
    return scanUp(accountId, parentId, (id) => this.store.lockById(tx, id));
  }

  /** Locks the parent, so that it stays able to manage clients. @throws AppError 400 otherwise */
  async holdParent(tx: EntityManager, parentId: number): Promise<void> {
    const parent = await this.store.lockById(tx, parentId);
    if (!parent || !isStaff(parent.userType)) throw accountErrors.noManager();
  }

  /** Requires that no clients depend on the account; `tx` must lock its row. @throws AppError 409 `Account has clients` */
  async assertNoClients(tx: EntityManager, accountId: number): Promise<void> {
    if (await tx.existsBy(AccountEntity, { parentId: accountId })) throw accountErrors.hasClients();
  }

  /** The columns that changes set. @throws AppError 400 for the first invalid value */
  patchOf(row: AccountEntity, changes: AccountChanges): Partial<AccountEntity> {
    return accountPatch(row, changes, this.environment.APP_TIME_ZONE);
  }

  /**
   * Keeps one active super without expiry (reference/accounts#roles); locks all supers against concurrent closing. Ends the sessions
   * of an account that is closed, demoted or given a password.
   */
  async update(tx: EntityManager, row: AccountEntity, patch: Partial<AccountEntity>): Promise<void> {
    const lasting = { userType: 'super', isActive: true, expiresAt: IsNull() };
    const guarded = row.userType === 'super' && row.isActive && row.expiresAt === null;
    if (guarded) await tx.query("UPDATE accounts SET held = held + 1 WHERE user_type = 'super' ORDER BY id");
    await this.updateAnyway(tx, row, patch);
    if (guarded && !(await tx.existsBy(AccountEntity, lasting))) throw accountErrors.forbidden();
  }

  /** As `update`, but also of the last super. */
  async updateAnyway(tx: EntityManager, row: AccountEntity, patch: Partial<AccountEntity>): Promise<void> {
    await tx.update(AccountEntity, { id: row.id }, patch);
    if (patch.isActive === false && row.isActive) await this.sessions.end(tx, { accountId: row.id }, 'closed');
    else if (isDemoted(row, patch)) await this.sessions.end(tx, { accountId: row.id }, 'role');
    else if (patch.passwordHash !== undefined) await this.sessions.end(tx, { holderId: row.id }, 'password');
  }
}

const rankOf = (userType: string | null): number => {
  const rank = USER_TYPES.findIndex((type) => type === userType);
  return rank < 0 ? USER_TYPES.length : rank;
};

/** `USER_TYPES` stand in the order of their rights, the largest first. */
const isDemoted = (row: AccountEntity, { userType }: Partial<AccountEntity>): boolean =>
  userType !== undefined && rankOf(userType) > rankOf(row.userType);

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
