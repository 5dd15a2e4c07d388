import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Listed, type Page, shown } from '../../../kernel/lists.js';
import type { Account } from '../domain/account.js';
import { type UserAnswerData, userData } from '../http/user.dto.js';
import { AssignedUsers } from '../persistence/assigned-users.js';
import { ManagedAccounts } from '../persistence/managed-accounts.js';

/** A part of the people under an account, for its managers. Throws as `ManagedAccounts.row`. */
export class ListManagedUsersQuery extends Query<Listed<UserAnswerData>> {
  constructor(
    readonly actor: Account,
    readonly username: string,
    readonly page: Page,
  ) {
    super();
  }
}

@QueryHandler(ListManagedUsersQuery)
export class ListManagedUsersHandler implements IQueryHandler<ListManagedUsersQuery> {
  constructor(
    private readonly managed: ManagedAccounts,
    private readonly users: AssignedUsers,
  ) {}

  async execute({ actor, username, page }: ListManagedUsersQuery): Promise<Listed<UserAnswerData>> {
    const { id, timeZone } = await this.managed.find(actor, username);
    return shown(await this.users.part(id, page), (row) => userData(row, timeZone));
  }
}
