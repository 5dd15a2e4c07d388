import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { accountErrors } from '../domain/account.errors.js';
import { assertUserManager } from '../domain/account-policy.js';
import type { Account } from '../domain/account.js';
import { AssignedUserEntity } from '../persistence/assigned-user.entity.js';
import { type UserAnswerData, userData } from '../http/user.dto.js';

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
  constructor(@InjectRepository(AssignedUserEntity) private readonly users: Repository<AssignedUserEntity>) {}

  async execute({ actor, id }: FindAssignedUserQuery): Promise<UserAnswerData> {
    assertUserManager(actor);
    const row = await this.users.findOneBy({ id, accountId: actor.id });
    if (!row) throw accountErrors.userNotFound();
    return userData(row, actor.timeZone);
  }
}
