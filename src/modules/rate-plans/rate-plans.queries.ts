import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { dateTime } from '../../kernel/clock.js';
import { type Listed, type Page, shown } from '../../kernel/lists.js';
import { rateErrors, RatePlans } from '../rates/index.js';
import type { RatePlanData, RatePlanHeadData } from './rate-plans.dto.js';

/** Returns a rate plan with its rows. @throws AppError 404 `Rate plan not found` */
export class FindRatePlanQuery extends Query<RatePlanData> {
  constructor(
    readonly name: string,
    readonly timeZone: string,
  ) {
    super();
  }
}

@QueryHandler(FindRatePlanQuery)
export class FindRatePlanHandler implements IQueryHandler<FindRatePlanQuery> {
  constructor(private readonly plans: RatePlans) {}

  async execute({ name, timeZone }: FindRatePlanQuery): Promise<RatePlanData> {
    const plan = await this.plans.find(name);
    if (!plan) throw rateErrors.notFound();
    return {
      name: plan.name,
      revision: plan.revision,
      accounts: plan.accounts,
      rates: plan.rates.map(({ channel, prefix, creditsPerSegment }) => {
        return { channel, prefix, credits_per_segment: creditsPerSegment };
      }),
      created_at: dateTime(plan.createdAt, timeZone),
      updated_at: dateTime(plan.updatedAt, timeZone),
    };
  }
}

/** Lists rate plans, oldest first. */
export class ListRatePlansQuery extends Query<Listed<RatePlanHeadData>> {
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
