import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { AccountStore } from '../persistence/account-store.js';
import { ManagedAccounts } from '../persistence/managed-accounts.js';
import { FindAccountQuery } from './find-account.query.js';
import { type ManagedAccountView, managedAccountView } from './managed-account.view.js';

@QueryHandler(FindAccountQuery)
export class FindAccountHandler implements IQueryHandler<FindAccountQuery> {
  constructor(
    private readonly managed: ManagedAccounts,
    private readonly store: AccountStore,
  ) {}

  async execute({ actor, username }: FindAccountQuery): Promise<ManagedAccountView> {
    const row = await this.managed.row(actor, username);
    const parents = await this.store.usernames(row.parentId === null ? [] : [row.parentId]);
    return managedAccountView(this.store.toAccount(row), row, parents);
  }
}
