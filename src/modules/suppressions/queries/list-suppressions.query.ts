import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { Account } from '../../accounts/index.js';
import { suppressionData, type SuppressionData } from '../http/suppression.dto.js';
import { SuppressionStore } from '../persistence/suppression-store.js';

/** An account's stop list, by number; times in the account's zone. */
export class ListSuppressionsQuery extends Query<{ suppressions: SuppressionData[]; total: number }> {
  /** @param number only this one; null = all */
  constructor(
    readonly account: Account,
    readonly number: string | null,
    readonly page: number,
    readonly limit: number,
  ) {
    super();
  }
}

@QueryHandler(ListSuppressionsQuery)
export class ListSuppressionsHandler implements IQueryHandler<ListSuppressionsQuery> {
  constructor(private readonly store: SuppressionStore) {}

  async execute(query: ListSuppressionsQuery): Promise<{ suppressions: SuppressionData[]; total: number }> {
    const { account, number, page, limit } = query;
    const { suppressions, total } = await this.store.page(account.id, number, page, limit);
    return { suppressions: suppressions.map((entry) => suppressionData(entry, account.timeZone)), total };
  }
}
