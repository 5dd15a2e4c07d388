import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Listed, type Page, shown } from '../../../kernel/lists.js';
import { assertUserManager } from '../domain/account-policy.js';
import type { Account } from '../domain/account.js';
import { type UserAnswerData, userData } from '../http/user.dto.js';
import { AssignedUsers } from '../persistence/assigned-users.js';

/** A part of the people under an account, newest first. Throws 403 `Permission denied` (see `assertUserManager`). */
export class ListAssignedUsersQuery extends Query<Listed<UserAnswerData>> {
  constructor(
    readonly actor: Account,
    readonly page: Page,
  ) {
    super();
  }
}

@QueryHandler(ListAssignedUsersQuery)
export class ListAssignedUsersHandler implements IQueryHandler<ListAssignedUsersQuery> {
  constructor(private readonly users: AssignedUsers) {}

  async execute({ actor, page }: ListAssignedUsersQuery): Promise<Listed<UserAnswerData>> {
    assertUserManager(actor);
    return shown(await this.users.part(actor.id, page), (row) => userData(row, actor.timeZone));
  }
}
