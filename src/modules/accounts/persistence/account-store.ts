import { Inject, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager, In } from 'typeorm';
import { ENVIRONMENT, type Environment } from '../../../platform/config/index.js';
import { type Account, NUMBER_CHECKS } from '../domain/account.js';
import type { Identity, IdentityKind } from '../domain/identity.js';
import { IDENTITY_KINDS } from '../domain/identity.js';
import { readPermissions } from '../domain/permissions.js';
import { AccountEntity } from './account.entity.js';
import { LoginIdentityEntity } from './login-identity.entity.js';

/** Uncached reads of accounts; within a transaction when given its manager. */
@Injectable()
export class AccountStore {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  /**
   * The row of a username, byte for byte. The collation is binary but ignores trailing spaces, hence the second look.
   */
  async rowByUsername(
    username: string,
    source: EntityManager = this.dataSource.manager,
  ): Promise<AccountEntity | null> {
    const row = await source.findOneBy(AccountEntity, { username });
    return row?.username === username ? row : null;
  }

  /** As `rowByUsername`, for many at once. @returns in the order of the names */
  async rowsByUsername(usernames: readonly string[]): Promise<(AccountEntity | null)[]> {
    const rows = await this.dataSource.manager.findBy(AccountEntity, { username: In(usernames) });
    const byName = new Map(rows.map((row) => [row.username, row]));
    return usernames.map((name) => byName.get(name) ?? null);
  }

  /** @returns in the order of the ids */
  async rowsById(ids: readonly number[]): Promise<(AccountEntity | null)[]> {
    const rows = await this.dataSource.manager.findBy(AccountEntity, { id: In(ids) });
    const byId = new Map(rows.map((row) => [row.id, row]));
    return ids.map((id) => byId.get(id) ?? null);
  }

  async rowById(id: number, source: EntityManager = this.dataSource.manager): Promise<AccountEntity | null> {
    return source.findOneBy(AccountEntity, { id });
  }

  /** The row, held until the transaction ends: written, because a lock alone does not reach the other nodes of a cluster. */
  async lockById(tx: EntityManager, id: number): Promise<AccountEntity | null> {
    await tx.increment(AccountEntity, { id }, 'held', 1);
    return tx.findOneBy(AccountEntity, { id });
  }

  /** Which of the identities are taken, in the order in which reference/authentication#registration reports them. */
  async taken(identities: Identity[], source: EntityManager = this.dataSource.manager): Promise<IdentityKind[]> {
    const rows = await source.findBy(
      LoginIdentityEntity,
      identities.map(({ kind, value }) => ({ kind, value })),
    );
    return IDENTITY_KINDS.filter((kind) => rows.some((row) => row.kind === kind));
  }

  /** Usernames by id, for lists that show parents. */
  async usernames(ids: number[]): Promise<Map<number, string>> {
    if (ids.length === 0) return new Map();
    const rows = await this.dataSource.manager.find(AccountEntity, {
      where: { id: In([...new Set(ids)]) },
      select: { id: true, username: true },
    });
    return new Map(rows.map((row) => [row.id, row.username]));
  }

  /** The plain record without secrets. */
  toAccount(row: AccountEntity): Account {
    return {
      id: row.id,
      username: row.username,
      email: row.email,
      mobileNo: row.mobileNo,
      firstname: row.firstname,
      lastname: row.lastname,
      userType: row.userType,
      parentId: row.parentId,
      isActive: row.isActive,
      expiresAt: row.expiresAt,
      timeZone: row.timeZone ?? this.environment.APP_TIME_ZONE,
      requireToken: row.requireToken,
      security: {
        requireToken: row.ownRequireToken,
        protectReports: row.protectReports,
        bodyUsernameAddresses: row.bodyUsernameIps === null ? [] : (JSON.parse(row.bodyUsernameIps) as string[]),
        chosenAt: row.securityChosenAt,
      },
      requireSender: row.requireSender,
      refundFailed: row.refundFailed,
      publicLookup: row.publicLookup,
      allowedRoutes: row.allowedRoutes === null ? null : (JSON.parse(row.allowedRoutes) as string[]),
      numberCheck: NUMBER_CHECKS.find((mode) => mode === row.numberCheck) ?? 'off',
      permissions: readPermissions(JSON.parse(row.permissions) as Record<string, unknown>),
      setByStaff: row.setByStaff,
      passwordChangedAt: row.passwordChangedAt,
      apiBaseUrl: row.apiBaseUrl,
    };
  }
}
