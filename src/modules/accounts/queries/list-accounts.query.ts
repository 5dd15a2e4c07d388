import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { assertManager } from '../domain/account-policy.js';
import type { Account } from '../domain/account.js';
import { AccountStore } from '../persistence/account-store.js';
import { AccountEntity } from '../persistence/account.entity.js';
import { type ManagedAccountAnswer, managedAccountAnswer } from '../http/managed-account.dto.js';

/** A page of accounts, newest first; a reseller gets its own clients. Throws 403 `Permission denied`. */
export class ListAccountsQuery extends Query<{ accounts: ManagedAccountAnswer[]; total: number }> {
  /** @param search part of username, e-mail, mobile number or name, in any case; null = all */
  constructor(
    readonly actor: Account,
    readonly search: string | null,
    readonly page: number,
    readonly limit: number,
  ) {
    super();
  }
}

const SEARCHED = ['username', 'email', 'mobileNo', 'firstname', 'lastname'];

@QueryHandler(ListAccountsQuery)
export class ListAccountsHandler implements IQueryHandler<ListAccountsQuery> {
  constructor(
    @InjectRepository(AccountEntity) private readonly accounts: Repository<AccountEntity>,
    private readonly store: AccountStore,
  ) {}

  async execute(query: ListAccountsQuery): Promise<{ accounts: ManagedAccountAnswer[]; total: number }> {
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
    return { accounts: rows.map((row) => managedAccountAnswer(this.store.toAccount(row), row, parents)), total };
  }
}
