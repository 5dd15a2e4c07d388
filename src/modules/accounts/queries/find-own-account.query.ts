import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { Account } from '../domain/account.js';
import { type OwnAccountView, ownAccountView } from '../http/own-account.dto.js';
import { AccountStore } from '../persistence/account-store.js';

/** The acting account as it sees itself, with the person who acts for it. */
export class FindOwnAccountQuery extends Query<OwnAccountView> {
  constructor(readonly account: Account) {
    super();
  }
}

@QueryHandler(FindOwnAccountQuery)
export class FindOwnAccountHandler implements IQueryHandler<FindOwnAccountQuery> {
  constructor(private readonly store: AccountStore) {}

  async execute({ account }: FindOwnAccountQuery): Promise<OwnAccountView> {
    const { parentId } = account;
    const parents = await this.store.usernames(parentId === null ? [] : [parentId]);
    return ownAccountView(account, parentId === null ? null : (parents.get(parentId) ?? null));
  }
}
