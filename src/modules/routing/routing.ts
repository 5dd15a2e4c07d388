import { Injectable } from '@nestjs/common';
import { AccountDirectory } from '../accounts/index.js';
import { type OperatorRouteKind, RouteDirectory, type RoutesOfKind } from '../providers/index.js';
import { type PlanParts, planOf, type RoutePlan } from './route-plan.js';
import { RoutingTables } from './routing-tables.store.js';

/** A send that looks for its routes. */
export interface RoutedSend {
  kind: OperatorRouteKind;
  accountId: number;
  /** name of the route that the sender wishes for */
  service: string;
  /** what it is about, as the sender says */
  category?: string | null;
}

/** What a choice was made of, for those who explain it. */
export interface RoutingParts extends PlanParts {
  routes: RoutesOfKind;
  /** null = all */
  allowedRoutes: readonly string[] | null;
}

/** Chooses the routes of sends (reference/routing#order). */
@Injectable()
export class Routing {
  constructor(
    private readonly directory: RouteDirectory,
    private readonly tables: RoutingTables,
    private readonly accounts: AccountDirectory,
  ) {}

  /** @returns null when there is no usable route, whatever the number */
  async planFor(send: RoutedSend): Promise<RoutePlan | null> {
    return planOf(await this.partsFor(send));
  }

  /** What a plan is made of. */
  async partsFor({ kind, accountId, service, category = null }: RoutedSend): Promise<RoutingParts> {
    const [routes, index, account] = await Promise.all([
      this.directory.ofKind(kind),
      this.tables.indexOf(kind),
      this.accounts.byId(accountId),
    ]);
    const allowedRoutes = account?.allowedRoutes ?? null;
    const allowed = allowedRoutes && new Set(allowedRoutes);
    const isAllowed = (name: string): boolean => allowed === null || allowed.has(name);
    const isUsable = (id: number): boolean => {
      const route = routes.byId.get(id);
      return route !== undefined && isAllowed(route.name);
    };
    const named = isAllowed(service) ? routes.byName.get(service) : undefined;
    const { standard } = routes;
    return {
      index,
      send: { accountId, category },
      named: named?.id ?? null,
      standard: standard && isAllowed(standard.name) ? standard.id : null,
      isUsable,
      routes,
      allowedRoutes,
    };
  }
}
