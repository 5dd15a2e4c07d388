import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Listed, type Page, shown } from '../../../kernel/lists.js';
import type { Account } from '../../accounts/index.js';
import { memberData, type MemberData } from '../http/list.dto.js';
import { ListMembers } from '../persistence/list-members.js';
import { ListStore } from '../persistence/list-store.js';
import { listErrors } from '../recipient-lists.errors.js';

/** Members of a list, by number. @throws AppError not_found */
export class ListMembersQuery extends Query<Listed<MemberData>> {
  constructor(
    readonly account: Account,
    readonly listId: number,
    /** digits that the numbers begin with; '' = all */
    readonly beginning: string,
    readonly page: Page,
  ) {
    super();
  }
}

@QueryHandler(ListMembersQuery)
export class ListMembersHandler implements IQueryHandler<ListMembersQuery> {
  constructor(
    private readonly lists: ListStore,
    private readonly members: ListMembers,
  ) {}

  async execute({ account, listId, beginning, page }: ListMembersQuery): Promise<Listed<MemberData>> {
    if (!(await this.lists.byId(account.id, listId))) throw listErrors.notFound();
    return shown(await this.members.part(listId, beginning, page), memberData);
  }
}
