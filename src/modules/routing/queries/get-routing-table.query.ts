import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { dateTime } from '../../../kernel/clock.js';
import { RouteDirectory } from '../../providers/index.js';
import { AccountNames } from '../account-names.js';
import type { RoutingTableData } from '../http/routing.dto.js';
import { RoutingTables } from '../persistence/routing-tables.js';
import { routingErrors } from '../routing.errors.js';

/** A routing table with its rules. Throws 404 `Routing table not found`. */
export class GetRoutingTableQuery extends Query<RoutingTableData> {
  /** @param timeZone in which times are shown */
  constructor(
    readonly name: string,
    readonly timeZone: string,
  ) {
    super();
  }
}

@QueryHandler(GetRoutingTableQuery)
export class GetRoutingTableHandler implements IQueryHandler<GetRoutingTableQuery> {
  constructor(
    private readonly tables: RoutingTables,
    private readonly routes: RouteDirectory,
    private readonly accounts: AccountNames,
  ) {}

  async execute({ name, timeZone }: GetRoutingTableQuery): Promise<RoutingTableData> {
    const table = await this.tables.find(name);
    if (!table) throw routingErrors.notFound();
    const usernames = await this.accounts.usernames(table.rules.flatMap(({ accounts }) => accounts ?? []));
    const routes = new Map((await this.routes.list()).map((route) => [route.id, route.name]));
    return {
      name: table.name,
      channel: table.channel,
      rules: table.rules.map((rule) => ({
        prefixes: rule.prefixes,
        accounts: rule.accounts && namesOf(rule.accounts, usernames),
        categories: rule.categories,
        routes: namesOf(rule.routes, routes),
      })),
      created_at: dateTime(table.createdAt, timeZone),
      updated_at: dateTime(table.updatedAt, timeZone),
    };
  }
}

const namesOf = (ids: readonly number[], names: ReadonlyMap<number, string>): string[] =>
  ids.flatMap((id) => names.get(id) ?? []);
