import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, In } from 'typeorm';
import { type Listed, type Page, shown } from '../../../kernel/lists.js';
import { inListedOrder, listKeys } from '../../../platform/database/index.js';
import { assertUserManager } from '../domain/account-policy.js';
import type { Account } from '../domain/account.js';
import { AssignedUserEntity } from '../persistence/assigned-user.entity.js';
import { type UserAnswerData, userData } from '../http/user.dto.js';

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
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  async execute({ actor, page }: ListAssignedUsersQuery): Promise<Listed<UserAnswerData>> {
    assertUserManager(actor);
    const ranges = [{ where: 'account_id = ?', values: [actor.id] }];
    const list = {
      table: 'assigned_users',
      index: 'ix_assigned_users_account',
      key: 'id',
      order: 'DESC',
      ranges,
    } as const;
    const ids = await listKeys<number>(this.dataSource, list, page);
    const rows = await this.dataSource.getRepository(AssignedUserEntity).findBy({ id: In(ids.items) });
    return shown(
      inListedOrder(ids, rows, ({ id }) => id),
      (row) => userData(row, actor.timeZone),
    );
  }
}
