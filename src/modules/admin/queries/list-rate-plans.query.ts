import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { dateTime } from '../../../kernel/clock.js';
import { type Listed, type Page, shown } from '../../../kernel/lists.js';
import { RatePlans } from '../../rates/index.js';
import type { RatePlanHeadData } from '../http/rate.dto.js';

/** Rate plans, in the order in which they were made. */
export class ListRatePlansQuery extends Query<Listed<RatePlanHeadData>> {
  /** @param timeZone in which times are shown */
  constructor(
    readonly page: Page,
    readonly timeZone: string,
  ) {
    super();
  }
}

@QueryHandler(ListRatePlansQuery)
export class ListRatePlansHandler implements IQueryHandler<ListRatePlansQuery> {
  constructor(private readonly plans: RatePlans) {}

  async execute({ page, timeZone }: ListRatePlansQuery): Promise<Listed<RatePlanHeadData>> {
    return shown(await this.plans.list(page), ({ name, revision, rates, createdAt, updatedAt }) => ({
      name,
      revision,
      rates,
      created_at: dateTime(createdAt, timeZone),
      updated_at: dateTime(updatedAt, timeZone),
    }));
  }
}
