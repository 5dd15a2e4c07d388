import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager, In, Like, MoreThanOrEqual } from 'typeorm';
import { now } from '../../../kernel/clock.js';
import { type MakerKind, makerPrefix, readMaker } from '../../../kernel/maker.js';
import { urlOrigin } from '../../../kernel/urls.js';
import { AccountClosings } from '../account-closings.js';
import { AccountDirectory, AccountStore } from '../accounts.store.js';
import { LoginAddresses } from '../authentication/authentication.store.js';
import { UNKNOWN_HASH } from '../authentication/credentials.js';
import type { Account } from '../domain/account.js';
import { passwordChange } from '../domain/tokens.js';
import { AuditLog } from '../logs/logs.store.js';
import { ManagedAccounts } from '../managed-accounts.store.js';
import { AccountEntity, ApiKeyEntity, AssignedUserEntity } from '../tables.js';
import { GrantedAccess, type Revocations } from './granted-access.js';

/** A thing that acts on by itself when its maker is gone. */
export interface MadeThing {
  kind: 'webhook' | 'account' | 'password';
  /** of the webhook or the account */
  id: number;
  /** URL of the webhook, username of the account */
  name: string;
  /** a password is active until it is ended */
  is_active: boolean;
}

/** The people or keys that made things, and the account that they act for. */
export interface Gone {
  account: Pick<Account, 'id' | 'username'>;
  kind: Extract<MakerKind, 'person' | 'key'>;
  ids: readonly number[];
}

/** Whether one of them made it. @param createdBy as it is stored */
export function isMadeBy({ kind, ids }: Gone, createdBy: string | null): boolean {
  const maker = readMaker(createdBy);
  return maker?.kind === kind && maker.id !== null && ids.includes(maker.id);
}

/** As staff and resellers see it: the path of a webhook may hold a secret of its owner. */
export const shownToManager = (thing: MadeThing): MadeThing =>
  thing.kind === 'webhook' ? { ...thing, name: urlOrigin(thing.name) } : thing;

/** What ended with its maker. */
interface Ended {
  /** accounts that were closed */
  closed: readonly number[];
  /** accounts whose password was ended */
  shutOut: readonly number[];
}

export const NOTHING_ENDED: Ended = { closed: [], shutOut: [] };

const STAFF_TYPES = ['super', 'admin', 'reseller'];
const MOST_ACCOUNTS = 1_000;

/** An account of staff that its maker, or the setter of its password, can act as. */
interface MadeAccount {
  kind: 'account' | 'password';
  row: AccountEntity;
  /** since when; null = from its beginning */
  since: Date | null;
}

/** A person or account that may have made accounts. */
interface PossibleMaker {
  id: number;
  since: Date | null;
}

/**
 * Accounts of staff that people made or whose password they set, and those of these and of the people under them in
 * turn: one who wants to stay would make the second account by the first.
 * @param own the account that the people act for, which is never one of them
 * @returns by id, at most 1,000 and what the last of them made
 */
async function staffMadeBy(source: EntityManager, own: number, personIds: readonly number[]): Promise<MadeAccount[]> {
  const found = new Map<number, MadeAccount>();
  let makers: PossibleMaker[] = personIds.map((id) => ({ id, since: null }));
  while (makers.length > 0 && found.size < MOST_ACCOUNTS) {
    const fresh: MadeAccount[] = [];
    for (const one of await madeOrSet(source, makers)) {
      const known = found.get(one.row.id);
      if (one.row.id === own || known?.kind === 'account' || known?.kind === one.kind) continue;
      found.set(one.row.id, one);
      fresh.push(one);
    }
    makers = [...fresh.map(({ row, since }) => ({ id: row.id, since })), ...(await peopleUnder(source, fresh))];
  }
  return [...found.values()].sort((a, b) => a.row.id - b.row.id);
}

/** What these made comes first, so that an account both made and given a password counts as made. */
async function madeOrSet(source: EntityManager, makers: readonly PossibleMaker[]): Promise<MadeAccount[]> {
  const common = { userType: In(STAFF_TYPES) };
  const options = { order: { id: 'ASC' }, take: MOST_ACCOUNTS } as const;
  const made = await source.find(AccountEntity, {
    ...options,
    where: makers.map(({ id, since }) => ({ ...common, createdBy: Like(prefixOf(id)), ...from('createdAt', since) })),
  });
  const set = await source.find(AccountEntity, {
    ...options,
    where: makers.map(({ id, since }) => ({
      ...common,
      passwordSetBy: Like(prefixOf(id)),
      ...from('passwordSetAt', since),
    })),
  });
  return [
    ...made.map((row) => ({ kind: 'account' as const, row, since: null })),
    ...set.map((row) => ({ kind: 'password' as const, row, since: row.passwordSetAt })),
  ];
}

/** The people whose passwords were set by one who acted as these accounts. */
async function peopleUnder(source: EntityManager, accounts: readonly MadeAccount[]): Promise<PossibleMaker[]> {
  if (accounts.length === 0) return [];
  const people = await source.find(AssignedUserEntity, {
    where: accounts.map(({ row, since }) => ({ accountId: row.id, ...from('passwordSetAt', since) })),
    select: { id: true, passwordSetAt: true },
  });
  return people.map(({ id, passwordSetAt }) => ({ id, since: passwordSetAt }));
}

const prefixOf = (id: number): string => `${makerPrefix('staff', id)}%`;

/** A bound of the time, where there is one. */
const from = <Field extends string>(field: Field, since: Date | null) =>
  since === null ? {} : { [field]: MoreThanOrEqual(since) };

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
