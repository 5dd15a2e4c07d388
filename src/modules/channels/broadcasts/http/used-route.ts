import { Injectable } from '@nestjs/common';
import type { AnswerWarning } from '../../../../platform/http/index.js';
import { DriverRegistry, RouteDirectory } from '../../../providers/index.js';

/** What clients write who wish for no route: the default is what they asked for. */
const ANY = 'default';

/** What of a request its answer may say something about. */
interface Asked {
  /** in which the route was named */
  field?: string;
  /** whether it has an id of India's DLT */
  hasDlt?: boolean;
}

/** Hints about the route that takes a broadcast: another one than was named, or one that leaves out a part of the request. */
@Injectable()
export class UsedRoutes {
  constructor(
    private readonly routes: RouteDirectory,
    private readonly drivers: DriverRegistry,
  ) {}

  /** @param service name of the route that was wished for @param routeId the route that most of its recipients leave over */
  async of(
    service: string,
    { routeId }: { routeId?: number | undefined },
    { field = 'brodcast_service', hasDlt = false }: Asked = {},
  ): Promise<AnswerWarning[]> {
    const route = routeId === undefined ? null : await this.routes.byId(routeId);
    if (!route) return [];
    const warnings: AnswerWarning[] = [];
    if (route.name !== service && service !== ANY) {
      const message = `${field} names no route of this channel that the account may use: ${route.name} is used`;
      warnings.push({ code: 'unknown_route', field, message });
    }
    if (hasDlt && !this.drivers.sendsDlt(route)) {
      const message = `The route ${route.name} has no place for dlt_template_id: messages leave over it without the id`;
      warnings.push({ code: 'dlt_not_sent', field: 'dlt_template_id', message });
    }
    return warnings;
  }
}
