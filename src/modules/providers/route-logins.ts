import { Injectable } from '@nestjs/common';
import { TtlCache } from '../../platform/caches/index.js';
import { DriverRegistry } from './driver-registry.js';
import { RouteDirectory } from './persistence/route-directory.js';

const KEPT_MS = 2_000;

/** Which routes share a login: a carrier hands receipts and answers to any session of it, whichever route sent the message. */
@Injectable()
export class RouteLogins {
  private readonly cache = new TtlCache<'all', ReadonlyMap<number, readonly number[]>>(KEPT_MS, 1);

  constructor(
    private readonly directory: RouteDirectory,
    private readonly drivers: DriverRegistry,
  ) {}

  /** Says of a route which ones share its login, itself among them. Asked before a transaction, since it may read the routes. */
  async sharing(): Promise<(routeId: number) => readonly number[]> {
    const shared = await this.shared();
    return (routeId) => shared.get(routeId) ?? [routeId];
  }

  /** The routes of one login, by each of them; routes that have theirs for themselves are absent. Kept for 2 s. */
  private shared(): Promise<ReadonlyMap<number, readonly number[]>> {
    return this.cache.get('all', async () => {
      const routes = new Map<string, number[]>();
      for (const route of await this.directory.list()) {
        const login = this.drivers.find(route.driver)?.loginOf?.(route.config);
        if (login !== undefined) routes.set(login, [...(routes.get(login) ?? []), route.id]);
      }
      return new Map([...routes.values()].filter((ids) => ids.length > 1).flatMap((ids) => ids.map((id) => [id, ids])));
    });
  }
}
