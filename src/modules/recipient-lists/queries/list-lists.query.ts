import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Listed, type Page, shown } from '../../../kernel/lists.js';
import type { Account } from '../../accounts/index.js';
import { listData, type ListData } from '../http/list.dto.js';
import { ListStore } from '../persistence/list-store.js';

/** An account's lists, newest first; times in its zone. */
export class ListListsQuery extends Query<Listed<ListData>> {
  constructor(
    readonly account: Account,
    readonly page: Page,
  ) {
    super();
  }
}

@QueryHandler(ListListsQuery)
export class ListListsHandler implements IQueryHandler<ListListsQuery> {
  constructor(private readonly lists: ListStore) {}

  async execute({ account, page }: ListListsQuery): Promise<Listed<ListData>> {
    return shown(await this.lists.part(account.id, page), (list) => listData(list, account.timeZone));
  }
}
