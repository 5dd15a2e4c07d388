import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, In } from 'typeorm';
import { type Listed, type Page, shown } from '../../kernel/lists.js';
import { TtlCache } from '../../platform/concurrency/index.js';
import { type Environment, ENVIRONMENT } from '../../platform/config/index.js';
import { inListedOrder, listKeys } from '../../platform/database/index.js';
import { AccountStore } from './accounts.store.js';
import { assertManager, assertMayChange } from './domain/account-policy.js';
import type { Account } from './domain/account.js';
import { managedAccountAnswer, type ManagedAccountAnswer } from './managed-accounts.dto.js';
import { ManagedAccounts } from './managed-accounts.store.js';
import { AccountEntity } from './tables.js';

/** Returns an account for its manager. @throws AppError 403 `Permission denied`, 404 `Account not found` */
export class FindAccountQuery extends Query<ManagedAccountAnswer> {
  constructor(
    readonly actor: Account,
    readonly username: string,
  ) {
    super();
  }
}

@QueryHandler(FindAccountQuery)
export class FindAccountHandler implements IQueryHandler<FindAccountQuery> {
  constructor(
    private readonly managed: ManagedAccounts,
    private readonly store: AccountStore,
  ) {}

  async execute({ actor, username }: FindAccountQuery): Promise<ManagedAccountAnswer> {
    const row = await this.managed.row(actor, username);
    const parents = await this.store.usernames(row.parentId === null ? [] : [row.parentId]);
    return managedAccountAnswer(this.store.toAccount(row), row, parents, actor);
  }
}

/** Returns an account record for other features. @throws AppError as `ManagedAccounts.row`; 403 `Forbidden` to change staff */
export class FindManagedAccountQuery extends Query<Account> {
  constructor(
    readonly actor: Account,
    readonly username: string,
    readonly to: 'see' | 'change',
  ) {
    super();
  }
}

@QueryHandler(FindManagedAccountQuery)
export class FindManagedAccountHandler implements IQueryHandler<FindManagedAccountQuery> {
  constructor(private readonly managed: ManagedAccounts) {}

  async execute({ actor, username, to }: FindManagedAccountQuery): Promise<Account> {
    const account = await this.managed.find(actor, username);
    if (to === 'change') assertMayChange(actor, account);
    return account;
  }
}

/** Lists accounts, newest first; for a reseller its own clients. @throws AppError 403 `Permission denied` */
export class ListAccountsQuery extends Query<Listed<ManagedAccountAnswer>> {
  constructor(
    readonly actor: Account,
    readonly search: string | null,
    readonly page: Page,
  ) {
    super();
  }
}

const SEARCHED = ['username', 'email', 'mobile_no', 'firstname', 'lastname'];

@QueryHandler(ListAccountsQuery)
export class ListAccountsHandler implements IQueryHandler<ListAccountsQuery> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly store: AccountStore,
  ) {}

  async execute({ actor, search, page }: ListAccountsQuery): Promise<Listed<ManagedAccountAnswer>> {
    assertManager(actor);
    const clients = actor.userType === 'reseller' ? { where: 'parent_id = ?', values: [actor.id] } : null;
    const ids = await listKeys<number>(
      this.dataSource,
      {
        table: 'accounts',
        index: clients ? 'ix_accounts_parent' : 'PRIMARY',
        key: 'id',
        order: 'DESC',
        ranges: [clients ?? { where: '', values: [] }],
        ...(search !== null && { filter: likeness(search) }),
      },
      page,
    );
    const found = await this.dataSource.getRepository(AccountEntity).findBy({ id: In(ids.items) });
    const listed = inListedOrder(ids, found, ({ id }) => id);
    const parents = await this.store.usernames(listed.items.flatMap((row) => row.parentId ?? []));
    return shown(listed, (row) => managedAccountAnswer(this.store.toAccount(row), row, parents, actor, actor.timeZone));
  }
}

function likeness(search: string): { where: string; values: string[] } {
  const part = `%${search.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`;
  const anyOf = SEARCHED.map((column) => `LOWER(t.${column}) LIKE ?`).join(' OR ');
  return { where: `(${anyOf})`, values: SEARCHED.map(() => part) };
}

export interface OpenAccounts {
  accounts: number;
  undecided: number;
}

/** Counts active accounts that can spend credits by username alone, from any address. */
export class CountOpenAccountsQuery extends Query<OpenAccounts> {}

const KEPT_MS = 30_000;
const NONE: OpenAccounts = { accounts: 0, undecided: 0 };

@QueryHandler(CountOpenAccountsQuery)
export class CountOpenAccountsHandler implements IQueryHandler<CountOpenAccountsQuery> {
  private readonly counts = new TtlCache<'all', OpenAccounts>(KEPT_MS, 1);

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'ALLOW_BODY_USERNAME'>,
  ) {}

  execute(): Promise<OpenAccounts> {
    return this.environment.ALLOW_BODY_USERNAME ? this.counts.get('all', () => this.count()) : Promise.resolve(NONE);
  }

  private async count(): Promise<OpenAccounts> {
    const [row] = await this.dataSource.query<{ accounts: number; undecided: number }[]>(
      `SELECT COUNT(*) AS accounts, COUNT(IF(security_chosen_at IS NULL, 1, NULL)) AS undecided FROM accounts
       WHERE is_active = 1 AND (expires_at IS NULL OR expires_at > UTC_TIMESTAMP(3))
         AND (user_type IS NULL OR user_type NOT IN ('super', 'admin', 'reseller'))
         AND require_token = 0 AND own_require_token = 0 AND body_username_ips IS NULL`,
    );
    return { accounts: Number(row?.accounts), undecided: Number(row?.undecided) };
  }
}
