import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { dateTime } from '../../../kernel/clock.js';
import { RouteDirectory } from '../../providers/index.js';
import { decimalOf, RouteCosts } from '../../routing/index.js';
import { routeErrors } from '../admin.errors.js';
import type { RouteCostsData } from '../http/route-cost.dto.js';

/** What a route costs. Throws 404 `Route not found`, `Route costs not found`. */
export class FindRouteCostsQuery extends Query<RouteCostsData> {
  /** @param timeZone in which times are shown */
  constructor(
    readonly name: string,
    readonly timeZone: string,
  ) {
    super();
  }
}

@QueryHandler(FindRouteCostsQuery)
export class FindRouteCostsHandler implements IQueryHandler<FindRouteCostsQuery> {
  constructor(
    private readonly routes: RouteDirectory,
    private readonly costs: RouteCosts,
  ) {}

  async execute({ name, timeZone }: FindRouteCostsQuery): Promise<RouteCostsData> {
    const route = await this.routes.byName(name);
    if (!route) throw routeErrors.notFound();
    const found = await this.costs.find(route.id);
    if (!found) throw routeErrors.noCosts();
    return {
      route: name,
      currency: found.currency,
      rows: found.rows.map(({ prefix, micros }) => ({ prefix, cost: decimalOf(micros) })),
      updated_at: dateTime(found.updatedAt, timeZone),
    };
  }
}
