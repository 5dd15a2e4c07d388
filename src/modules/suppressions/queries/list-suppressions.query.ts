import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { dateTime } from '../../../kernel/clock.js';
import type { Account } from '../../accounts/index.js';
import type { SuppressionSource } from '../domain/suppression.js';
import { SuppressionStore } from '../persistence/suppression-store.js';

/** An entry of the stop list as its owner sees it. */
export interface SuppressionView {
  number: string;
  source: SuppressionSource;
  created_at: string;
}

/** An account's stop list, by number; times in the account's zone. */
export class ListSuppressionsQuery extends Query<{ suppressions: SuppressionView[]; total: number }> {
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

  async execute(query: ListSuppressionsQuery): Promise<{ suppressions: SuppressionView[]; total: number }> {
    const { account, number, page, limit } = query;
    const { suppressions, total } = await this.store.page(account.id, number, page, limit);
    const views = suppressions.map(({ createdAt, ...entry }) => ({
      ...entry,
      created_at: dateTime(createdAt, account.timeZone),
    }));
    return { suppressions: views, total };
  }
}
