import { Inject } from '@nestjs/common';
import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { dateTime } from '../../../kernel/clock.js';
import { ENVIRONMENT, type Environment, publicAddress } from '../../../platform/config/index.js';
import {
  callbackPath,
  DriverRegistry,
  maskSecrets,
  RouteDirectory,
  type RouteHealth,
  RouteHealthBoard,
  type RouteRecord,
} from '../../providers/index.js';
import { ListRoutesQuery, type RouteView } from './list-routes.query.js';

@QueryHandler(ListRoutesQuery)
export class ListRoutesHandler implements IQueryHandler<ListRoutesQuery> {
  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly routes: RouteDirectory,
    private readonly drivers: DriverRegistry,
    private readonly board: RouteHealthBoard,
  ) {}

  async execute({ name, timeZone }: ListRoutesQuery): Promise<RouteView[]> {
    const routes = name === null ? await this.routes.list() : [await this.routes.byName(name)];
    const health = await this.board.read();
    return routes.flatMap((route) => (route ? [this.view(route, timeZone, health.get(route.id) ?? 'unknown')] : []));
  }

  private view(route: RouteRecord, timeZone: string, health: RouteHealth): RouteView {
    const driver = this.drivers.find(route.driver);
    return {
      name: route.name,
      channel: route.channel,
      driver: route.driver,
      config: driver ? maskSecrets(route.config, driver.secretFields) : {},
      messages_per_second: route.messagesPerSecond,
      is_default: route.isDefault,
      health,
      callback_url: driver?.parseCallback ? publicAddress(this.environment, callbackPath(route)) : null,
      created_at: dateTime(route.createdAt, timeZone),
      updated_at: dateTime(route.updatedAt, timeZone),
    };
  }
}
