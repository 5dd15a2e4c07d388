import { createHash, randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { now } from '../../../kernel/clock.js';
import { again, inTransaction, type WriteResult } from '../../../platform/database/index.js';
import { AccountClosings } from '../account-closings.js';
import { AccountDirectory, AccountStore } from '../accounts.store.js';
import { AccessTokens } from '../authentication/access-tokens.js';
import { UNKNOWN_HASH } from '../authentication/credentials.js';
import { accountErrors } from '../domain/account.errors.js';
import { type Account, isExpired } from '../domain/account.js';
import { identitiesOf } from '../domain/identity.js';
import { AuditLog, SecurityLog } from '../logs/logs.store.js';
import { ManagedAccounts } from '../managed-accounts.store.js';
import { NameCheck, NameClaims } from '../names.store.js';
import { AccountRegistrar } from '../registration.store.js';
import type { Client } from '../sessions/device.js';
import { NetworkNotices } from '../sessions/network-notices.js';
import type { ProvidedIdentity } from './provided-identity.js';
import { OidcLoginEntity } from './tables.js';

/** What the callback hands to the browser, sealed: it takes one token. */
export interface LoginTicket {
  id: number;
  ticket: string;
  /** epoch milliseconds; null = the provider does not say */
  authenticatedAt: number | null;
}

/** Gives accounts the roles that the identity provider says. */
@Injectable()
export class ProvidedRoles {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly store: AccountStore,
    private readonly directory: AccountDirectory,
    private readonly managed: ManagedAccounts,
    private readonly closings: AccountClosings,
    private readonly audit: AuditLog,
  ) {}

  /**
   * A role that is withdrawn closes the account, the last super too: the provider says who is staff. What staff closed stays
   * closed. Returns the account as it is then.
   */
  async apply({ digest, accountId }: OidcLoginEntity, role: ProvidedIdentity['role']): Promise<Account> {
    const account = await inTransaction(this.dataSource, async (tx) => {
      const row = await this.store.lockById(tx, accountId);
      const link = await tx.findOneByOrFail(OidcLoginEntity, { digest });
      if (!row) throw accountErrors.inactive();
      const at = now();
      const reopens = link.withdrawnAt !== null && !row.setByStaff.includes('is_active');
      const patch = {
        ...(role !== null && role !== row.userType && { userType: role }),
        ...(role !== null && !row.isActive && reopens && { isActive: true }),
        ...(role === null && row.isActive && { isActive: false }),
      };
      if (Object.keys(patch).length === 0) return this.store.toAccount(row);
      await this.managed.updateAnyway(tx, row, { ...patch, updatedAt: at });
      await tx.update(OidcLoginEntity, { digest }, { withdrawnAt: role === null ? at : null });
      const details = { user_type: patch.userType, is_active: patch.isActive, reason: 'the identity provider' };
      const entry = { actor: null, action: 'account.change', subject: row.username, accountId };
      await this.audit.record(tx, { ...entry, details });
      return this.store.toAccount(Object.assign(row, patch));
    });
    this.directory.forget(accountId);
    if (!account.isActive) await this.closings.finish({ accountId, actor: account });
    return account;
  }
}

/**
 * Finds the account of staff that the identity provider vouches for, makes it at its first login, and gives it the role that the
 * provider says. A role that is withdrawn there closes the account here. null = no role. @throws AppError 401 for a closed account,
 * 409 for a name that is taken here
 */
export class LogInByProviderCommand extends Command<LoginTicket | null> {
  constructor(readonly identity: ProvidedIdentity) {
    super();
  }
}

@CommandHandler(LogInByProviderCommand)
export class LogInByProviderHandler implements ICommandHandler<LogInByProviderCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly roles: ProvidedRoles,
    private readonly registrar: AccountRegistrar,
    private readonly names: NameCheck,
    private readonly claims: NameClaims,
    private readonly audit: AuditLog,
  ) {}

  async execute({ identity }: LogInByProviderCommand): Promise<LoginTicket | null> {
    const digest = createHash('sha256').update(`${identity.issuer}\n${identity.subject}`).digest();
    const link = await this.dataSource.manager.findOneBy(OidcLoginEntity, { digest });
    const { role } = identity;
    if (role === null) {
      if (link) await this.roles.apply(link, null);
      return null;
    }
    const account = link ? await this.roles.apply(link, role) : await this.made(digest, role, identity);
    if (!account.isActive) throw accountErrors.inactive();
    if (isExpired(account, now())) throw accountErrors.expired();
    const ticket = randomUUID();
    await this.dataSource.query(again('UPDATE oidc_logins SET ticket = ? WHERE digest = ?'), [ticket, digest]);
    return { id: account.id, ticket, authenticatedAt: identity.authenticatedAt?.getTime() ?? null };
  }

  private async made(
    digest: Buffer,
    role: NonNullable<ProvidedIdentity['role']>,
    { username, email, firstname, lastname }: ProvidedIdentity,
  ): Promise<Account> {
    const names = await this.names.check({ username, email, mobileNo: undefined }, role);
    return this.claims.naming(identitiesOf(names), role, async (tx) => {
      const input = { ...names, passwordHash: UNKNOWN_HASH, firstname, lastname, userType: role };
      const account = await this.registrar.create(tx, input);
      const { id: accountId } = account;
      await tx.insert(OidcLoginEntity, { digest, accountId, withdrawnAt: null, ticket: null, createdAt: now() });
      const details = { username, email: names.email, user_type: role, reason: 'the identity provider' };
      const entry = { actor: null, action: 'account.create', subject: account.username, accountId };
      await this.audit.record(tx, { ...entry, details });
      return account;
    });
  }
}

/** Begins the session of an account that the provider has just vouched for. @throws AppError 401 for a closed account, a used ticket */
export class BeginProvidedSessionCommand extends Command<{ token: string; account: Account }> {
  constructor(
    readonly ticket: LoginTicket,
    readonly client: Client,
  ) {
    super();
  }
}

@CommandHandler(BeginProvidedSessionCommand)
export class BeginProvidedSessionHandler implements ICommandHandler<BeginProvidedSessionCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly directory: AccountDirectory,
    private readonly tokens: AccessTokens,
    private readonly log: SecurityLog,
    private readonly notices: NetworkNotices,
  ) {}

  async execute({ ticket, client }: BeginProvidedSessionCommand): Promise<{ token: string; account: Account }> {
    const account = await this.directory.byId(ticket.id);
    if (!account || !this.directory.usable(account) || !(await this.take(ticket))) throw accountErrors.invalidToken();
    this.log.record('login', account.username, account.id, client.ip);
    const isNew = await this.notices.isNew(account, client);
    const confirmedAt = ticket.authenticatedAt === null ? null : new Date(ticket.authenticatedAt);
    const token = await this.tokens.begin(account, client, { confirmedAt });
    if (isNew) await this.notices.notify(account, client);
    return { token, account };
  }

  /** Of parallel uses one wins. */
  private async take({ id, ticket }: LoginTicket): Promise<boolean> {
    const { affectedRows } = await this.dataSource.query<WriteResult>(
      'UPDATE oidc_logins SET ticket = NULL WHERE account_id = ? AND ticket = ?',
      [id, ticket],
    );
    return affectedRows === 1;
  }
}
