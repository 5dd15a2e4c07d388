import { Inject, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager, In } from 'typeorm';
import { now } from '../../kernel/clock.js';
import { digitsOf } from '../../kernel/contacts.js';
import { likePrefix, spellings } from '../../kernel/text.js';
import { boundedCache, TtlCache, GroupCommit, ONE_TICK } from '../../platform/concurrency/index.js';
import { type Environment, ENVIRONMENT } from '../../platform/config/index.js';
import { type Account, isUsable, NUMBER_CHECKS, readPermissions } from './domain/account.js';
import { readGuardTerms } from './domain/guard-terms.js';
import { type Identity, IDENTITY_KINDS, type IdentityKind } from './domain/identity.js';
import { SessionStore } from './sessions/sessions.store.js';
import { AccountEntity, LoginIdentityEntity } from './tables.js';

/** Reads accounts uncached, in a transaction when given its manager. */
@Injectable()
export class AccountStore {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  /** Finds a username byte for byte. The binary collation ignores trailing spaces, hence the second comparison. */
  async rowByUsername(
    username: string,
    source: EntityManager = this.dataSource.manager,
  ): Promise<AccountEntity | null> {
    const row = await source.findOneBy(AccountEntity, { username });
    return row?.username === username ? row : null;
  }

  async rowsByUsername(usernames: readonly string[]): Promise<(AccountEntity | null)[]> {
    const rows = await this.dataSource.manager.findBy(AccountEntity, { username: In(usernames) });
    const byName = new Map(rows.map((row) => [row.username, row]));
    return usernames.map((name) => byName.get(name) ?? null);
  }

  async rowsById(ids: readonly number[]): Promise<(AccountEntity | null)[]> {
    const rows = await this.dataSource.manager.findBy(AccountEntity, { id: In(ids) });
    const byId = new Map(rows.map((row) => [row.id, row]));
    return ids.map((id) => byId.get(id) ?? null);
  }

  async rowById(id: number, source: EntityManager = this.dataSource.manager): Promise<AccountEntity | null> {
    return source.findOneBy(AccountEntity, { id });
  }

  /** Locks the row by writing it: a lock alone does not reach other cluster nodes. */
  async lockById(tx: EntityManager, id: number): Promise<AccountEntity | null> {
    await tx.increment(AccountEntity, { id }, 'held', 1);
    return tx.findOneBy(AccountEntity, { id });
  }

  /** Returns the taken identities in reporting order (reference/authentication#registration). */
  async taken(identities: Identity[], source: EntityManager = this.dataSource.manager): Promise<IdentityKind[]> {
    const rows = await source.findBy(
      LoginIdentityEntity,
      identities.map(({ kind, value }) => ({ kind, value })),
    );
    return IDENTITY_KINDS.filter((kind) => rows.some((row) => row.kind === kind));
  }

  async usernames(ids: number[]): Promise<Map<number, string>> {
    if (ids.length === 0) return new Map();
    const rows = await this.dataSource.manager.find(AccountEntity, {
      where: { id: In([...new Set(ids)]) },
      select: { id: true, username: true },
    });
    return new Map(rows.map((row) => [row.id, row.username]));
  }

  /** Converts a row to a record without secrets. */
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
      timeZoneChosen: row.timeZone !== null,
      requireToken: row.requireToken,
      security: {
        requireToken: row.ownRequireToken,
        protectReports: row.protectReports,
        bodyUsernameAddresses: row.bodyUsernameIps === null ? [] : (JSON.parse(row.bodyUsernameIps) as string[]),
        chosenAt: row.securityChosenAt,
      },
      requireSender: row.requireSender,
      refundFailed: row.refundFailed,
      refundRefused: row.refundRefused,
      publicLookup: row.publicLookup,
      allowedRoutes: row.allowedRoutes === null ? null : (JSON.parse(row.allowedRoutes) as string[]),
      numberCheck: NUMBER_CHECKS.find((mode) => mode === row.numberCheck) ?? 'off',
      country: row.countryCode,
      countryChosen: row.countryChosen,
      strictNumbers: row.strictNumbers,
      permissions: readPermissions(JSON.parse(row.permissions) as Record<string, unknown>),
      guard: readGuardTerms(row.guard),
      setByStaff: row.setByStaff,
      hasSecondFactor: row.secondFactor,
      proofDue: row.proofDue,
      passwordChangedAt: row.passwordChangedAt,
      apiBaseUrl: row.apiBaseUrl,
    };
  }
}

const KEPT_MS = 3_000;
const MOST_ENTRIES = 20_000;
const LONGEST_NAME = 64;

/**
 * Caches accounts for hot paths for 3 s, the delay of changes on other instances (reference/authentication#tokens); `forget`
 * acts at once here. Missing accounts are not cached. Reads of one event-loop tick share a statement.
 */
@Injectable()
export class AccountDirectory {
  private readonly cache = new TtlCache<string, Account | null>(KEPT_MS, MOST_ENTRIES);
  private readonly names = boundedCache<number, string>(MOST_ENTRIES);
  /** incremented on every change: reads started before it are returned but not cached */
  private generation = 0;
  private readonly idReads = new GroupCommit<number, AccountEntity | null>((ids) => this.store.rowsById(ids), ONE_TICK);
  private readonly nameReads = new GroupCommit<string, AccountEntity | null>(
    (names) => this.store.rowsByUsername(names),
    ONE_TICK,
  );

  constructor(
    private readonly store: AccountStore,
    private readonly sessions: SessionStore,
  ) {}

  byId(id: number): Promise<Account | null> {
    return this.cached(`id:${id}`, () => this.idReads.add(id));
  }

  /** Compares byte for byte: `BOB` is not `bob`. A following `byId`, as in a send, shares the read. */
  byUsername(name: string): Promise<Account | null> {
    // A long name must not inflate the statement that requests share.
    if (name.length > LONGEST_NAME) return Promise.resolve(null);
    return this.cached(`name:${name}`, () => this.nameReads.add(name));
  }

  usable(account: Account): boolean {
    return isUsable(account, now());
  }

  /** Call after the commit of a change: also sessions that it ended end here at once. */
  forget(id: number): void {
    this.generation += 1;
    this.sessions.forget();
    this.cache.delete(`id:${id}`);
    const name = this.names.get(id);
    if (name !== undefined) this.cache.delete(`name:${name}`);
  }

  private cached(key: string, read: () => Promise<AccountEntity | null>): Promise<Account | null> {
    return this.cache.get(key, () => this.load(key, read));
  }

  private async load(key: string, read: () => Promise<AccountEntity | null>): Promise<Account | null> {
    const generation = this.generation;
    let account: Account | null = null;
    try {
      const row = await read();
      account = row && this.store.toAccount(row);
      if (account) this.keepId(account, generation);
      return account;
    } finally {
      if (account === null || generation !== this.generation) this.cache.delete(key);
    }
  }

  private keepId(account: Account, generation: number): void {
    this.names.set(account.id, account.username);
    if (generation === this.generation) void this.cache.get(`id:${account.id}`, () => Promise.resolve(account));
  }
}

export interface FoundAccount {
  account: Account;
  createdAt: Date;
}

/** Names scanned to find a reseller's own clients. */
const MOST_FILTERED = 1_000;
const FEWEST_DIGITS = 6;

/** Finds accounts by a prefix of a login name (including assigned users), first name or last name. */
@Injectable()
export class AccountSearch {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly store: AccountStore,
  ) {}

  /** `parentId`: only clients of this reseller; null = all. */
  async find(text: string, parentId: number | null, limit: number): Promise<FoundAccount[]> {
    const digits = digitsOf(text);
    const lower = text.toLowerCase();
    const ids = await Promise.all([
      this.known('username', lower, parentId, limit),
      this.known('email', lower, parentId, limit),
      digits.length >= FEWEST_DIGITS ? this.known('mobile', digits, parentId, limit) : [],
      this.named(text, parentId, limit),
    ]);
    const wanted = [...new Set(ids.flat())].slice(0, limit);
    const rows = await this.dataSource.getRepository(AccountEntity).findBy({ id: In(wanted) });
    const byId = new Map(rows.map((row) => [row.id, row]));
    return wanted.flatMap((id) => {
      const row = byId.get(id);
      return row ? [{ account: this.store.toAccount(row), createdAt: row.createdAt }] : [];
    });
  }

  private async known(kind: IdentityKind, value: string, parentId: number | null, limit: number): Promise<number[]> {
    const rows: { account_id: number }[] = await this.dataSource.query(
      `SELECT i.account_id FROM (SELECT account_id, value FROM login_identities FORCE INDEX (PRIMARY)
         WHERE kind = ? AND value LIKE ? ORDER BY value LIMIT ?) i
       ${childrenOf('i.account_id', parentId)} ORDER BY i.value LIMIT ?`,
      [kind, likePrefix(value), ...bounds(parentId, limit)],
    );
    return rows.map(({ account_id }) => account_id);
  }

  /** One word matches either name; two words match first and last name. */
  private async named(text: string, parentId: number | null, limit: number): Promise<number[]> {
    const [first = '', ...others] = text.split(/\s+/);
    const last = others.join(' ');
    const parts = spellings(first).flatMap((spelling): [string, string, string[]][] =>
      last === ''
        ? ['firstname', 'lastname'].map((column) => [column, `${column} LIKE ?`, [likePrefix(spelling)]])
        : spellings(last).map((also) => [
            'firstname',
            'firstname LIKE ? AND lastname LIKE ?',
            [likePrefix(spelling), likePrefix(also)],
          ]),
    );
    const queries = parts.map(
      ([column, where]) => `(SELECT n.id FROM (SELECT id FROM accounts FORCE INDEX (ix_accounts_${column})
         WHERE ${where} ORDER BY ${column} LIMIT ?) n ${childrenOf('n.id', parentId)} LIMIT ?)`,
    );
    const values = parts.flatMap(([, , prefixes]) => [...prefixes, ...bounds(parentId, limit)]);
    const rows: { id: number }[] = await this.dataSource.query(queries.join(' UNION ALL '), values);
    return rows.map(({ id }) => id);
  }
}

const childrenOf = (id: string, parentId: number | null): string =>
  parentId === null ? '' : `JOIN accounts a ON a.id = ${id} AND a.parent_id = ?`;

const bounds = (parentId: number | null, limit: number): number[] =>
  parentId === null ? [limit, limit] : [MOST_FILTERED, parentId, limit];

const MOST = 1_000;

/** Finds the active accounts of staff (super and admin). */
@Injectable()
export class StaffAccounts {
  async ids(tx: EntityManager): Promise<number[]> {
    const rows = await tx.query<{ id: number }[]>(
      `SELECT id FROM accounts FORCE INDEX (ix_accounts_user_type)
       WHERE user_type IN ('super', 'admin') AND is_active = 1 ORDER BY id LIMIT ${MOST}`,
    );
    return rows.map(({ id }) => id);
  }
}
