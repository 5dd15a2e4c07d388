import { Injectable } from '@nestjs/common';
import { RouteDirectory, RouteStandings } from '../../providers/index.js';
import type { AlarmCheck, Finding } from '../domain/kinds.js';

/** No worker can send over a route, which staff have not stopped. */
@Injectable()
export class RouteDown implements AlarmCheck {
  readonly kind = 'route_down';

  constructor(
    private readonly routes: RouteDirectory,
    private readonly standings: RouteStandings,
  ) {}

  async find(): Promise<Finding[]> {
    const { of } = await this.standings.read();
    return (await this.routes.list()).flatMap(({ id, name, stopped }): Finding[] => {
      const standing = of.get(id);
      if (stopped || standing?.health !== 'down') return [];
      const message = `Route ${name} is down: ${standing.lastError ?? 'no worker reaches the carrier'}`;
      return [{ subject: name, message, value: null, threshold: null }];
    });
  }
}
