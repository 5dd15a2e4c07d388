import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { Account } from '../../accounts/index.js';
import { listData, type ListData } from '../http/list.dto.js';
import { ListStore } from '../persistence/list-store.js';
import { listErrors } from '../recipient-lists.errors.js';

/** One list of an account; times in its zone. @throws AppError not_found */
export class GetListQuery extends Query<ListData> {
  constructor(
    readonly account: Account,
    readonly id: number,
  ) {
    super();
  }
}

@QueryHandler(GetListQuery)
export class GetListHandler implements IQueryHandler<GetListQuery> {
  constructor(private readonly lists: ListStore) {}

  async execute({ account, id }: GetListQuery): Promise<ListData> {
    const list = await this.lists.byId(account.id, id);
    if (!list) throw listErrors.notFound();
    return listData(list, account.timeZone);
  }
}
