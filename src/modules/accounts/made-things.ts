import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager, In, Like } from 'typeorm';
import { now } from '../../kernel/clock.js';
import { type MakerKind, makerPrefix } from '../../kernel/maker.js';
import { AccountClosings } from './account-closings.js';
import type { Account } from './domain/account.js';
import { AccountDirectory } from './persistence/account-directory.js';
import { AccountEntity } from './persistence/account.entity.js';
import { AssignedUserEntity } from './persistence/assigned-user.entity.js';
import { AccountStore } from './persistence/account-store.js';
import { AuditLog } from './persistence/audit-log.js';
import { ManagedAccounts } from './persistence/managed-accounts.js';

const STAFF_TYPES = ['super', 'admin', 'reseller'];
const MOST_ACCOUNTS = 1_000;

/** A thing that acts on by itself when its maker is gone. */
export interface MadeThing {
  kind: 'webhook' | 'account';
  id: number;
  /** URL of a webhook, username of an account */
  name: string;
  is_active: boolean;
}

/** The person or key that made things, and the account that it acts for. */
export interface Gone {
  accountId: number;
  kind: Extract<MakerKind, 'person' | 'key'>;
  id: number;
}

/** A module with things that people and keys make. */
export interface MadeThingListener {
  /** @param prefix how `created_by` of the maker's things begins */
  madeBy(source: EntityManager, accountId: number, prefix: string): Promise<MadeThing[]>;
  /** Ends them within the transaction that removes their maker. */
  endMadeBy(tx: EntityManager, actor: Account, accountId: number, prefix: string): Promise<void>;
}

/**
 * What a person or a key made and what goes on by itself: webhooks, and accounts of staff. It is shown before the maker is
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
    private readonly audit: AuditLog,
  ) {}

  register(listener: MadeThingListener): void {
    this.listeners.push(listener);
  }

  async of(gone: Gone): Promise<MadeThing[]> {
    const { manager } = this.dataSource;
    const prefix = makerPrefix(gone.kind, gone.id);
    const parts = await Promise.all(this.listeners.map((one) => one.madeBy(manager, gone.accountId, prefix)));
    const staff = (await this.staffMadeBy(manager, gone)).map(({ id, username, isActive }) => ({
      kind: 'account' as const,
      id,
      name: username,
      is_active: isActive,
    }));
    return [...staff, ...parts.flat()];
  }

  /**
   * Closes the accounts of staff and disables the webhooks, in the transaction that removes their maker.
   * @returns accounts that were closed: `finish` is due after the commit
   * @throws AppError forbidden when no super account would be left that is active and has no expiry
   */
  async end(tx: EntityManager, actor: Account, gone: Gone): Promise<number[]> {
    const prefix = makerPrefix(gone.kind, gone.id);
    for (const listener of this.listeners) await listener.endMadeBy(tx, actor, gone.accountId, prefix);
    const closed = (await this.staffMadeBy(tx, gone)).filter(({ isActive, id }) => isActive && id !== actor.id);
    for (const { id } of closed) {
      const row = await this.store.lockById(tx, id);
      if (!row) continue;
      await this.managed.update(tx, row, { isActive: false, updatedAt: now() });
      const details = { is_active: false, reason: 'its maker was removed' };
      const entry = { actor, action: 'account.change', subject: row.username, accountId: id, details };
      await this.audit.record(tx, entry);
    }
    return closed.map(({ id }) => id);
  }

  /** What follows from closed accounts, after the commit. */
  async finish(actor: Account, closed: readonly number[]): Promise<void> {
    for (const accountId of closed) {
      this.directory.forget(accountId);
      await this.closings.finish({ accountId, actor });
    }
  }

  /**
   * Accounts of staff that a person made, and those that these and the people under them made in turn: one who wants to stay
   * would make the second account by the first. The account that the person acts for is never one of them.
   */
  private async staffMadeBy(source: EntityManager, { accountId, kind, id }: Gone): Promise<AccountEntity[]> {
    if (kind === 'key') return [];
    const found = new Map<number, AccountEntity>();
    for (let makers = [id]; makers.length > 0 && found.size < MOST_ACCOUNTS;) {
      const rows = await source.find(AccountEntity, {
        where: makers.map((maker) => ({
          createdBy: Like(`${makerPrefix('staff', maker)}%`),
          userType: In(STAFF_TYPES),
        })),
        order: { id: 'ASC' },
        take: MOST_ACCOUNTS,
      });
      const fresh = rows.filter((row) => row.id !== accountId && !found.has(row.id));
      for (const row of fresh) found.set(row.id, row);
      const ids = fresh.map((row) => row.id);
      const people = await source.find(AssignedUserEntity, { where: { accountId: In(ids) }, select: { id: true } });
      makers = [...ids, ...people.map((one) => one.id)];
    }
    return [...found.values()].sort((a, b) => a.id - b.id);
  }
}
