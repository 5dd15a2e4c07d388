import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { Listed, Page } from '../../../kernel/lists.js';
import { creditErrors } from '../credits.errors.js';
import type { UsageRowAnswer } from '../http/usage.dto.js';
import type { UsageSelection } from '../domain/usage-selection.js';
import { UsageReader } from '../persistence/usage-reader.js';

/** Rows of a whole file. */
export const MOST_USAGE_ROWS = 100_000;

/** What was charged and refunded, by balance and what the selection groups by. */
export class GetUsageQuery extends Query<Listed<UsageRowAnswer>> {
  /**
   * @param accountId null = all accounts
   * @param page null = the whole, up to `MOST_USAGE_ROWS`
   */
  constructor(
    readonly accountId: number | null,
    readonly selection: UsageSelection,
    readonly page: Page | null,
  ) {
    super();
  }
}

@QueryHandler(GetUsageQuery)
export class GetUsageHandler implements IQueryHandler<GetUsageQuery> {
  constructor(private readonly reader: UsageReader) {}

  async execute({ accountId, selection, page }: GetUsageQuery): Promise<Listed<UsageRowAnswer>> {
    const whole = { page: 1, limit: MOST_USAGE_ROWS, after: null };
    const listed = await this.reader.list(accountId, selection, page ?? whole);
    if (page === null && listed.next !== null) throw creditErrors.usageRows();
    return listed;
  }
}
