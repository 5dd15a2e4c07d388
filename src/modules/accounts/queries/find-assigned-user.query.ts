import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { assertUserManager } from '../domain/account-policy.js';
import type { Account } from '../domain/account.js';
import { type UserAnswerData, userData } from '../http/user.dto.js';
import { AssignedUsers } from '../persistence/assigned-users.js';

/** One of the people under an account. Throws 403 `Permission denied`, 404 `User not found`. */
export class FindAssignedUserQuery extends Query<UserAnswerData> {
  constructor(
    readonly actor: Account,
    readonly id: number,
  ) {
    super();
  }
}

@QueryHandler(FindAssignedUserQuery)
export class FindAssignedUserHandler implements IQueryHandler<FindAssignedUserQuery> {
  constructor(private readonly users: AssignedUsers) {}

  async execute({ actor, id }: FindAssignedUserQuery): Promise<UserAnswerData> {
    assertUserManager(actor);
    return userData(await this.users.find(actor.id, id), actor.timeZone);
  }
}
