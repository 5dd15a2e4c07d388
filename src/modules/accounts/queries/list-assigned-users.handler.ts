import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { assertUserManager } from '../domain/account-policy.js';
import { AssignedUserEntity } from '../persistence/assigned-user.entity.js';
import { type AssignedUserView, assignedUserView } from './assigned-user.view.js';
import { ListAssignedUsersQuery } from './list-assigned-users.query.js';

@QueryHandler(ListAssignedUsersQuery)
export class ListAssignedUsersHandler implements IQueryHandler<ListAssignedUsersQuery> {
  constructor(@InjectRepository(AssignedUserEntity) private readonly users: Repository<AssignedUserEntity>) {}

  async execute({ actor, page, limit }: ListAssignedUsersQuery): Promise<{ users: AssignedUserView[]; total: number }> {
    assertUserManager(actor);
    const [rows, total] = await this.users.findAndCount({
      where: { accountId: actor.id },
      order: { id: 'DESC' },
      skip: (page - 1) * limit,
      take: limit,
    });
    return { users: rows.map((row) => assignedUserView(row, actor.timeZone)), total };
  }
}
