import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { dateTime } from '../../../kernel/clock.js';
import { SuppressionStore } from '../persistence/suppression-store.js';
import { ListSuppressions, type SuppressionView } from './list-suppressions.query.js';

@QueryHandler(ListSuppressions)
export class ListSuppressionsHandler implements IQueryHandler<ListSuppressions> {
  constructor(private readonly store: SuppressionStore) {}

  async execute(query: ListSuppressions): Promise<{ suppressions: SuppressionView[]; total: number }> {
    const { account, number, page, limit } = query;
    const { suppressions, total } = await this.store.page(account.id, number, page, limit);
    const views = suppressions.map(({ createdAt, ...entry }) => ({
      ...entry,
      created_at: dateTime(createdAt, account.timeZone),
    }));
    return { suppressions: views, total };
  }
}
