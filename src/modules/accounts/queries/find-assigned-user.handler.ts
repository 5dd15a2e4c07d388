import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { accountErrors } from '../domain/account-errors.js';
import { assertUserManager } from '../domain/account-policy.js';
import { AssignedUserEntity } from '../persistence/assigned-user.entity.js';
import { type AssignedUserView, assignedUserView } from './assigned-user.view.js';
import { FindAssignedUserQuery } from './find-assigned-user.query.js';

@QueryHandler(FindAssignedUserQuery)
export class FindAssignedUserHandler implements IQueryHandler<FindAssignedUserQuery> {
  constructor(@InjectRepository(AssignedUserEntity) private readonly users: Repository<AssignedUserEntity>) {}

  async execute({ actor, id }: FindAssignedUserQuery): Promise<AssignedUserView> {
    assertUserManager(actor);
    const row = await this.users.findOneBy({ id, accountId: actor.id });
    if (!row) throw accountErrors.userNotFound();
    return assignedUserView(row, actor.timeZone);
  }
}
