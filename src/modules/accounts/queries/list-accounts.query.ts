import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, In } from 'typeorm';
import { type Listed, type Page, shown } from '../../../kernel/lists.js';
import { inListedOrder, listKeys } from '../../../platform/database/index.js';
import { assertManager } from '../domain/account-policy.js';
import type { Account } from '../domain/account.js';
import { AccountStore } from '../persistence/account-store.js';
import { AccountEntity } from '../persistence/account.entity.js';
import { type ManagedAccountAnswer, managedAccountAnswer } from '../http/managed-account.dto.js';

/** A part of the accounts, newest first; a reseller gets its own clients. Throws 403 `Permission denied`. */
export class ListAccountsQuery extends Query<Listed<ManagedAccountAnswer>> {
  /** @param search part of username, e-mail, mobile number or name, in any case; null = all */
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
        ...(search !== null && { look: likeness(search) }),
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
