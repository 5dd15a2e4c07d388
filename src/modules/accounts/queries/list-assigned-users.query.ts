import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { assertUserManager } from '../domain/account-policy.js';
import type { Account } from '../domain/account.js';
import { AssignedUserEntity } from '../persistence/assigned-user.entity.js';
import { type UserAnswerData, userData } from '../http/user.dto.js';

/** A page of the people under an account, newest first. Throws 403 `Permission denied` (see `assertUserManager`). */
export class ListAssignedUsersQuery extends Query<{ users: UserAnswerData[]; total: number }> {
  constructor(
    readonly actor: Account,
    readonly page: number,
    readonly limit: number,
  ) {
    super();
  }
}

@QueryHandler(ListAssignedUsersQuery)
export class ListAssignedUsersHandler implements IQueryHandler<ListAssignedUsersQuery> {
  constructor(@InjectRepository(AssignedUserEntity) private readonly users: Repository<AssignedUserEntity>) {}

  async execute({ actor, page, limit }: ListAssignedUsersQuery): Promise<{ users: UserAnswerData[]; total: number }> {
    assertUserManager(actor);
    const [rows, total] = await this.users.findAndCount({
      where: { accountId: actor.id },
      order: { id: 'DESC' },
      skip: (page - 1) * limit,
      take: limit,
    });
    return { users: rows.map((row) => userData(row, actor.timeZone)), total };
  }
}
