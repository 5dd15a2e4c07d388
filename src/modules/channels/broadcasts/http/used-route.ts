import { Injectable } from '@nestjs/common';
import type { AnswerWarning } from '../../../../platform/http/index.js';
import { RouteDirectory } from '../../../providers/index.js';

/** What a broadcast's answer says of its route, where it is not the one that was named. */
export interface UsedRoute {
  route?: string;
  warnings?: AnswerWarning[];
}

/** What clients write who wish for no route: the default is what they asked for. */
const ANY = 'default';

/** Tells which route takes a broadcast whose `brodcast_service` names none that it could use. */
@Injectable()
export class UsedRoutes {
  constructor(private readonly routes: RouteDirectory) {}

  /** @param field of the request, in which the route was named */
  async of(
    service: string,
    { routeId }: { routeId?: number | undefined },
    field = 'brodcast_service',
  ): Promise<UsedRoute> {
    const route = routeId === undefined ? null : await this.routes.byId(routeId);
    if (!route || route.name === service) return {};
    if (service === ANY) return { route: route.name };
    const message = `${field} names no route of this channel that the account may use: ${route.name} is used`;
    return { route: route.name, warnings: [{ code: 'unknown_route', field, message }] };
  }
}
