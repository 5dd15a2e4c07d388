import { Injectable } from '@nestjs/common';
import { AccountDirectory } from '../accounts/index.js';
import { type OperatorRouteKind, RouteDirectory, type RoutesOfKind } from '../providers/index.js';
import { type PlanParts, planOf, type RoutePlan } from './route-plan.js';
import { RoutingTables } from './routing-tables.store.js';

export interface RoutedSend {
  kind: OperatorRouteKind;
  accountId: number;
  /** name of the route that the sender wants */
  service: string;
  /** the sender's category */
  category?: string | null;
}

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

  /** @returns null when no number has a usable route */
  async planFor(send: RoutedSend): Promise<RoutePlan | null> {
    return planOf(await this.partsFor(send));
  }

  /** Inputs of the plan, also for explanations. */
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
