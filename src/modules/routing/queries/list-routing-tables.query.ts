import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { dateTime } from '../../../kernel/clock.js';
import type { RoutingTableSummaryData } from '../http/routing.dto.js';
import { RoutingTables } from '../persistence/routing-tables.js';

/** All routing tables by name, without their rules. */
export class ListRoutingTablesQuery extends Query<RoutingTableSummaryData[]> {
  /** @param timeZone in which times are shown */
  constructor(readonly timeZone: string) {
    super();
  }
}

@QueryHandler(ListRoutingTablesQuery)
export class ListRoutingTablesHandler implements IQueryHandler<ListRoutingTablesQuery> {
  constructor(private readonly tables: RoutingTables) {}

  async execute({ timeZone }: ListRoutingTablesQuery): Promise<RoutingTableSummaryData[]> {
    return (await this.tables.summaries()).map((table) => ({
      name: table.name,
      channel: table.channel,
      rules: table.ruleCount,
      prefixes: table.prefixes,
      created_at: dateTime(table.createdAt, timeZone),
      updated_at: dateTime(table.updatedAt, timeZone),
    }));
  }
}
