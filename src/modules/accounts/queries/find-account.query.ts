import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { Account } from '../domain/account.js';
import { AccountStore } from '../persistence/account-store.js';
import { ManagedAccounts } from '../persistence/managed-accounts.js';
import { type ManagedAccountAnswer, managedAccountAnswer } from '../http/managed-account.dto.js';

/** One account for its manager. Throws 403 `Permission denied`, 404 `Account not found`. */
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
