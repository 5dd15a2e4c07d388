import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { dateTime } from '../../kernel/clock.js';
import { type Environment, ENVIRONMENT, publicAddress } from '../../platform/config/index.js';
import type { Account } from '../accounts/index.js';
import {
  type BindSlot,
  callbackPath,
  DriverRegistry,
  maskSecrets,
  maskUrls,
  RouteDirectory,
  type RouteRecord,
  type RouteStanding,
  RouteStandings,
  type RouteStop,
  STOPPED,
  unknownSettings,
  UNREPORTED,
} from '../providers/index.js';
import { decimalOf, RouteCosts } from '../routing/index.js';
import type { RouteCostsData } from './route-costs.dto.js';
import type { RouteAnswerData, RouteBindData, RouteStopData } from './routes.dto.js';
import { routeErrors } from './routes.errors.js';

export class ListRoutesQuery extends Query<RouteAnswerData[]> {
  /** @param viewer decides the time zone; only super sees more of URLs than origins */
  constructor(
    readonly name: string | null,
    readonly viewer: Pick<Account, 'timeZone' | 'userType'>,
  ) {
    super();
  }
}

@QueryHandler(ListRoutesQuery)
export class ListRoutesHandler implements IQueryHandler<ListRoutesQuery> {
  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly routes: RouteDirectory,
    private readonly drivers: DriverRegistry,
    private readonly standings: RouteStandings,
  ) {}

  async execute({ name, viewer }: ListRoutesQuery): Promise<RouteAnswerData[]> {
    const routes = name === null ? await this.routes.list() : [await this.routes.byName(name)];
    const { of, slots } = await this.standings.read();
    return routes.flatMap((route) =>
      route ? [this.view(route, viewer, of.get(route.id) ?? UNREPORTED, slots.get(route.id) ?? null)] : [],
    );
  }

  private view(
    route: RouteRecord,
    { timeZone, userType }: ListRoutesQuery['viewer'],
    standing: RouteStanding,
    slots: readonly BindSlot[] | null,
  ): RouteAnswerData {
    const driver = this.drivers.find(route.driver);
    const shown = driver ? maskSecrets(route.config, driver.secretFields) : {};
    return {
      name: route.name,
      channel: route.channel,
      driver: route.driver,
      config: driver && userType !== 'super' ? maskUrls(shown, driver.addressFields) : shown,
      messages_per_second: route.messagesPerSecond,
      binds: route.binds,
      held_binds: slots?.flatMap(viewOfBind) ?? null,
      is_default: route.isDefault,
      guarded: route.guarded,
      health: route.stopped ? 'stopped' : standing.health,
      last_error: route.stopped ? STOPPED : standing.lastError,
      unknown_settings: unknownSettings(route.driver, route.config),
      stopped: route.stopped && stopOf(route.stopped, timeZone),
      callback_url: driver?.parseCallback ? publicAddress(this.environment, callbackPath(route)) : null,
      created_at: dateTime(route.createdAt, timeZone),
      updated_at: dateTime(route.updatedAt, timeZone),
    };
  }
}

const viewOfBind = ({ place, holder, isFree, bound, fault }: BindSlot): RouteBindData[] =>
  holder === null || isFree ? [] : [{ place, worker: holder, bound, last_error: fault }];

export const stopOf = ({ at, by, reason }: RouteStop, timeZone: string): RouteStopData => ({
  at: dateTime(at, timeZone),
  by,
  reason,
});

/** A route's costs; times in `timeZone`. Throws 404 `Route not found`, `Route costs not found`. */
export class FindRouteCostsQuery extends Query<RouteCostsData> {
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
