import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { assertMayChange } from '../domain/account-policy.js';
import type { Account } from '../domain/account.js';
import { ManagedAccounts } from '../persistence/managed-accounts.js';

/**
 * An account as a record, for features in which its managers act on it. Throws as `ManagedAccounts.row`, and to change it
 * 403 `Forbidden` for staff that only super changes.
 */
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
