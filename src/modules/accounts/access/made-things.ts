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
import { type Account, createdBy } from '../domain/account.js';
import { type PersonRole, type Right, ROLE_RIGHTS } from '../domain/rights.js';
import { passwordChange } from '../domain/tokens.js';
import { AuditLog } from '../logs/logs.store.js';
import { AccountNotices, type Notified } from '../../notices/index.js';
import { ManagedAccounts } from '../managed-accounts.store.js';
import { SessionStore } from '../sessions/sessions.store.js';
import { AccountEntity, ApiKeyEntity, AssignedUserEntity } from '../tables.js';
import { GrantedAccess, type Revocations } from './granted-access.js';
import { PasswordHasher } from '../../../platform/security/index.js';

/** A thing that stays active after its maker is removed. */
export interface MadeThing {
  kind: 'webhook' | 'account' | 'password' | 'key' | 'campaign' | 'person' | 'session_message' | 'keyword';
  /** 0 = it has only a name */
  id: number;
  name: string;
  /** a password is active until it is ended */
  is_active: boolean;
}

/** People or keys that are removed, or lose rights, and their account. */
export interface Gone {
  account: Pick<Account, 'id' | 'username'>;
  kind: Extract<MakerKind, 'person' | 'key'>;
  ids: readonly number[];
  /** rights that they keep; absent: none */
  keeps?: readonly Right[];
}

/** Whether a thing that needs these rights goes beyond those that its maker keeps. */
export const isBeyond = ({ keeps = [] }: Gone, ...needs: readonly Right[]): boolean =>
  needs.some((right) => !keeps.includes(right));

export function isMadeBy({ kind, ids }: Gone, createdBy: string | null): boolean {
  const maker = readMaker(createdBy);
  return maker?.kind === kind && maker.id !== null && ids.includes(maker.id);
}

/** Hides the webhook's path from staff and resellers, because it may contain a secret of the owner. */
export const shownToManager = (thing: MadeThing): MadeThing =>
  thing.kind === 'webhook' ? { ...thing, name: urlOrigin(thing.name) } : thing;

/** What `finish` still has to do. */
export interface Ended {
  closed: readonly number[];
  /** accounts whose password was ended */
  shutOut: readonly number[];
}

/** A password change that ends neither keys nor people. */
export const NONE = { apiKeys: false, users: false, created: false } as const;

export const NOTHING_ENDED: Ended = { closed: [], shutOut: [] };

const STAFF_TYPES = ['super', 'admin', 'reseller'];
const MOST_ACCOUNTS = 1_000;

/** A staff account that its maker, or the setter of its password, can act as. */
interface MadeAccount {
  kind: 'account' | 'password';
  row: AccountEntity;
  /** null = from its creation */
  since: Date | null;
}

interface PossibleMaker {
  id: number;
  since: Date | null;
}

/**
 * Finds staff accounts that people made or set passwords of, transitively, because an attacker could make a second account
 * through the first. Bounded to about 1,000; never includes `own`.
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

/** Made accounts come first, so that an account also given a password counts as made. */
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

/** Finds people whose passwords were set by someone acting as these accounts. */
async function peopleUnder(source: EntityManager, accounts: readonly MadeAccount[]): Promise<PossibleMaker[]> {
  if (accounts.length === 0) return [];
  const people = await source.find(AssignedUserEntity, {
    where: accounts.map(({ row, since }) => ({ accountId: row.id, ...from('passwordSetAt', since) })),
    select: { id: true, passwordSetAt: true },
  });
  return people.map(({ id, passwordSetAt }) => ({ id, since: passwordSetAt }));
}

const prefixOf = (id: number): string => `${makerPrefix('staff', id)}%`;

const from = <Field extends string>(field: Field, since: Date | null) =>
  since === null ? {} : { [field]: MoreThanOrEqual(since) };

/** A module whose things people and keys can make. */
export interface MadeThingListener {
  madeBy(source: EntityManager, gone: Gone): Promise<MadeThing[]>;
  /** Ends them in the transaction that removes their makers. */
  endMadeBy(tx: EntityManager, actor: Account, gone: Gone): Promise<void>;
}

/**
 * Lists and ends what people and keys made: a right never outlives its owner. People who are removed, set inactive or get a lower
 * role lose at once what goes beyond the rights that they keep; what keys made, and accounts of staff, end when that is chosen.
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

  async of(actor: Account, gone: Gone): Promise<MadeThing[]> {
    const { manager } = this.dataSource;
    const parts = await Promise.all(this.listeners.map((one) => one.madeBy(manager, gone)));
    const staff = (await this.staffOf(manager, actor, gone)).map(({ kind, row: { id, username, isActive } }) => ({
      kind,
      id,
      name: username,
      is_active: kind === 'password' || isActive,
    }));
    return [...staff, ...parts.flat()];
  }

  /** Ends the chosen keys and people, and optionally what they made; pass the result to `finish` after the commit. */
  async revoke(
    tx: EntityManager,
    actor: Account,
    account: Gone['account'],
    { created, ...wanted }: Revocations & { created: boolean },
  ): Promise<Ended> {
    const { apiKeys, users } = await this.access.revoke(tx, actor, account, wanted);
    await this.endParts(tx, actor, { account, kind: 'person', ids: users });
    if (!created) return NOTHING_ENDED;
    const people = wanted.users === true ? await this.access.allUsers(tx, account.id) : users;
    const parts = [
      await this.end(tx, actor, { account, kind: 'key', ids: apiKeys }),
      await this.end(tx, actor, { account, kind: 'person', ids: people }),
    ];
    return { closed: parts.flatMap(({ closed }) => closed), shutOut: parts.flatMap(({ shutOut }) => shutOut) };
  }

  /**
   * Closes accounts, ends passwords and disables webhooks in the removal's transaction; keeps the acting account, which proved
   * its password. @throws AppError forbidden without an active super that never expires
   */
  async end(tx: EntityManager, actor: Account, gone: Gone): Promise<Ended> {
    await this.endParts(tx, actor, gone);
    const staff = (await this.staffOf(tx, actor, gone)).filter(({ row: { id } }) => id !== actor.id);
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

  /** Ends what a person made beyond the rights of its role from now on. @param role null = none: it is removed, or inactive */
  endBeyond(tx: EntityManager, actor: Account, id: number, role: PersonRole | null): Promise<void> {
    const keeps = role === null ? [] : ROLE_RIGHTS[role];
    return this.endParts(tx, actor, { account: actor, kind: 'person', ids: [id], keeps });
  }

  /** Runs the consequences of closed accounts and ended passwords, after the commit. */
  async finish(actor: Account, { closed, shutOut }: Ended): Promise<void> {
    for (const accountId of [...closed, ...shutOut]) this.directory.forget(accountId);
    this.access.forget();
    for (const accountId of closed) await this.closings.finish({ accountId, actor });
  }

  /** Invalidates the password and everything granted since it was set; staff must set a new one. */
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

  /** Every kind but staff accounts and their passwords. */
  async endParts(tx: EntityManager, actor: Account, gone: Gone): Promise<void> {
    if (gone.ids.length === 0) return;
    for (const listener of this.listeners) await listener.endMadeBy(tx, actor, gone);
  }

  /** Only super changes staff: an account that was super once no longer sees or ends what its people made then. */
  private async staffOf(source: EntityManager, actor: Account, { account, kind, ids }: Gone): Promise<MadeAccount[]> {
    return kind === 'key' || actor.userType !== 'super' ? [] : staffMadeBy(source, account.id, ids);
  }
}

/** The account whose password changes, and the row that bears it: its own, or that of an assigned user. */
interface Changed {
  account: Gone['account'];
  bearerId: number;
}

/** A new password, and the access that ends with the old one. */
@Injectable()
export class PasswordChanges {
  constructor(
    private readonly hasher: PasswordHasher,
    private readonly loginAddresses: LoginAddresses,
    private readonly sessions: SessionStore,
    private readonly made: MadeThings,
    private readonly notices: AccountNotices,
  ) {}

  /** Slow on purpose: call it after all cheaper checks, and before the transaction. */
  hash(password: string): Promise<string> {
    return this.hasher.hash(password);
  }

  /** In the transaction that writes the hash: forgets known addresses, ends sessions and revokes what was chosen. */
  async revoke(
    tx: EntityManager,
    actor: Account,
    { account, bearerId }: Changed,
    chosen: Revocations & { created: boolean },
  ): Promise<Ended> {
    await this.loginAddresses.forget(tx, bearerId);
    await this.sessions.end(tx, { holderId: bearerId }, 'password');
    return this.made.revoke(tx, actor, account, chosen);
  }

  /** After the commit, with the result of `revoke`: runs its consequences, and tells the login whose password changed. */
  async finish(actor: Account, ended: Ended, changed: Notified | null, by?: string): Promise<void> {
    await this.made.finish(actor, ended);
    const maker = by ?? readMaker(changed && createdBy(actor, changed.id))?.kind ?? null;
    if (changed) await this.notices.notify(changed, { type: 'password.changed', by: maker });
  }
}
