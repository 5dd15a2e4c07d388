import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager, MoreThanOrEqual } from 'typeorm';
import { now } from '../../kernel/clock.js';
import { AccountClosings } from './account-closings.js';
import { UNKNOWN_HASH } from './authentication/credentials.js';
import { GrantedAccess, type Revocations } from './commands/granted-access.js';
import { passwordChange } from './domain/access-token.js';
import type { Account } from './domain/account.js';
import type { Ended, Gone, MadeThing } from './domain/made-thing.js';
import { AccountDirectory } from './persistence/account-directory.js';
import { ApiKeyEntity } from './persistence/api-key.entity.js';
import { AssignedUserEntity } from './persistence/assigned-user.entity.js';
import { AccountStore } from './persistence/account-store.js';
import { AuditLog } from './persistence/audit-log.js';
import { LoginAddresses } from './persistence/login-addresses.js';
import { type MadeAccount, staffMadeBy } from './persistence/made-accounts.js';
import { ManagedAccounts } from './persistence/managed-accounts.js';

/** A module with things that people and keys make. */
export interface MadeThingListener {
  madeBy(source: EntityManager, gone: Gone): Promise<MadeThing[]>;
  /** Ends them within the transaction that removes their makers. */
  endMadeBy(tx: EntityManager, actor: Account, gone: Gone): Promise<void>;
}

/**
 * What a person or a key made and what goes on by itself: webhooks, accounts of staff, and their passwords. It is shown before the maker is
 * removed, and may end with it. Campaigns, lists and sender ids stay: they are the account's, and do nothing by themselves.
 */
@Injectable()
export class MadeThings {
  private readonly listeners: MadeThingListener[] = [];

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly managed: ManagedAccounts,
    private readonly store: AccountStore,
    private readonly directory: AccountDirectory,
    private readonly closings: AccountClosings,
    private readonly loginAddresses: LoginAddresses,
    private readonly access: GrantedAccess,
    private readonly audit: AuditLog,
  ) {}

  register(listener: MadeThingListener): void {
    this.listeners.push(listener);
  }

  async of(gone: Gone): Promise<MadeThing[]> {
    const { manager } = this.dataSource;
    const parts = await Promise.all(this.listeners.map((one) => one.madeBy(manager, gone)));
    const staff = (await this.staffOf(manager, gone)).map(({ kind, row: { id, username, isActive } }) => ({
      kind,
      id,
      name: username,
      is_active: kind === 'password' || isActive,
    }));
    return [...staff, ...parts.flat()];
  }

  /**
   * Ends the keys and people that a changed password shuts out, and where it is wished what they made.
   * @returns what `finish` needs after the commit
   * @throws AppError as `GrantedAccess.revoke` and `end`
   */
  async revoke(
    tx: EntityManager,
    actor: Account,
    account: Gone['account'],
    { created, ...wanted }: Revocations & { created: boolean },
  ): Promise<Ended> {
    const { apiKeys, users } = await this.access.revoke(tx, actor, account, wanted);
    if (!created) return { closed: [], shutOut: [] };
    const parts = [
      await this.end(tx, actor, { account, kind: 'key', ids: apiKeys }),
      await this.end(tx, actor, { account, kind: 'person', ids: users }),
    ];
    return { closed: parts.flatMap(({ closed }) => closed), shutOut: parts.flatMap(({ shutOut }) => shutOut) };
  }

  /**
   * Closes the accounts of staff, ends the passwords and disables the webhooks, in the transaction that removes their makers.
   * The acting account stays as it is: who acts has just proved its password.
   * @returns what `finish` needs after the commit
   * @throws AppError forbidden when no super account would be left that is active and has no expiry
   */
  async end(tx: EntityManager, actor: Account, gone: Gone): Promise<Ended> {
    await this.endParts(tx, actor, gone);
    const staff = (await this.staffOf(tx, gone)).filter(({ row: { id } }) => id !== actor.id);
    const passwords = staff.filter(({ kind }) => kind === 'password');
    for (const one of passwords) await this.endPassword(tx, actor, one);
    const closed = staff.filter(({ kind, row }) => kind === 'account' && row.isActive).map(({ row: { id } }) => id);
    for (const id of closed) {
      const row = await this.store.lockById(tx, id);
      if (!row) continue;
      await this.managed.update(tx, row, { isActive: false, updatedAt: now() });
      const details = { is_active: false, reason: 'its maker was removed' };
      const entry = { actor, action: 'account.change', subject: row.username, accountId: id, details };
      await this.audit.record(tx, entry);
    }
    return { closed, shutOut: passwords.map(({ row: { id } }) => id) };
  }

  /** What follows from closed accounts and ended passwords, after the commit. */
  async finish(actor: Account, { closed, shutOut }: Ended): Promise<void> {
    for (const accountId of [...closed, ...shutOut]) this.directory.forget(accountId);
    this.access.forget();
    for (const accountId of closed) await this.closings.finish({ accountId, actor });
  }

  /** The password stops working, and so does what was granted since it was set: staff set a new one. */
  private async endPassword(tx: EntityManager, actor: Account, account: MadeAccount): Promise<void> {
    const row = await this.store.lockById(tx, account.row.id);
    if (!row || row.passwordSetBy !== account.row.passwordSetBy) return;
    const at = now();
    const secret = { passwordHash: UNKNOWN_HASH, passwordChangedAt: passwordChange(row, at) };
    await this.managed.update(tx, row, { ...secret, passwordSetBy: null, passwordSetAt: null, updatedAt: at });
    await this.loginAddresses.forget(tx, row.id);
    const details = { password: 'ended', reason: 'the person who set it was removed' };
    await this.audit.record(tx, { actor, action: 'account.change', subject: row.username, accountId: row.id, details });
    const since = MoreThanOrEqual(account.since ?? row.createdAt);
    const keys = await tx.findBy(ApiKeyEntity, { accountId: row.id, createdAt: since });
    const users = await tx.findBy(AssignedUserEntity, { accountId: row.id, isActive: true, passwordSetAt: since });
    const chosen = { apiKeys: keys.map(({ id }) => id), users: users.map(({ id }) => id) };
    await this.access.revoke(tx, actor, row, chosen);
    await this.endParts(tx, actor, { account: row, kind: 'key', ids: chosen.apiKeys });
    await this.endParts(tx, actor, { account: row, kind: 'person', ids: chosen.users });
  }

  private async endParts(tx: EntityManager, actor: Account, gone: Gone): Promise<void> {
    for (const listener of this.listeners) await listener.endMadeBy(tx, actor, gone);
  }

  private async staffOf(source: EntityManager, { account, kind, ids }: Gone): Promise<MadeAccount[]> {
    return kind === 'key' ? [] : staffMadeBy(source, account.id, ids);
  }
}
