import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { assertManager } from '../domain/account-policy.js';
import { AccountStore } from '../persistence/account-store.js';
import { AccountEntity } from '../persistence/account.entity.js';
import { ListAccountsQuery } from './list-accounts.query.js';
import { type ManagedAccountView, managedAccountView } from './managed-account.view.js';

const SEARCHED = ['username', 'email', 'mobileNo', 'firstname', 'lastname'];

@QueryHandler(ListAccountsQuery)
export class ListAccountsHandler implements IQueryHandler<ListAccountsQuery> {
  constructor(
    @InjectRepository(AccountEntity) private readonly accounts: Repository<AccountEntity>,
    private readonly store: AccountStore,
  ) {}

  async execute(query: ListAccountsQuery): Promise<{ accounts: ManagedAccountView[]; total: number }> {
    assertManager(query.actor);
    const builder = this.accounts.createQueryBuilder('account').orderBy('account.id', 'DESC');
    builder.skip((query.page - 1) * query.limit).take(query.limit);
    if (query.actor.userType === 'reseller') builder.andWhere('account.parentId = :parent', { parent: query.actor.id });
    if (query.search !== null) {
      const anyOf = SEARCHED.map((field) => `LOWER(account.${field}) LIKE :part`).join(' OR ');
      builder.andWhere(`(${anyOf})`, { part: `%${query.search.toLowerCase().replace(/[\\%_]/g, '\\$&')}%` });
    }
    const [rows, total] = await builder.getManyAndCount();
    const parents = await this.store.usernames(rows.flatMap((row) => row.parentId ?? []));
    return { accounts: rows.map((row) => managedAccountView(this.store.toAccount(row), row, parents)), total };
  }
}
