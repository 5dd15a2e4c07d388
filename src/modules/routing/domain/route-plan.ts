import { isFor, type RoutingRule, type RuledSend, type RuleIndex } from './rule-index.js';

/** Ids of routes: the first carries, the others take over when it fails. */
export type RouteChain = readonly number[];

/** Over which routes a send leaves. */
export interface RoutePlan {
  /** the chain that every number gets; null = it depends on the number */
  only: RouteChain | null;
  /** null = no route for this number */
  chainOf(number: string): RouteChain | null;
}

/** What a plan is made of. */
export interface PlanParts {
  index: RuleIndex;
  send: RuledSend;
  /** the route that the sender named, where it may be used */
  named: number | null;
  /** the default of the kind, where it may be used */
  standard: number | null;
  /** whether there is such a route, and the account may use it */
  isUsable: (routeId: number) => boolean;
}

/** @returns null when no number has a route (reference/routing#order) */
export function planOf({ index, send, named, standard, isUsable }: PlanParts): RoutePlan | null {
  if (named !== null) return constant([named]);
  const chains = new Map<string, RouteChain>();
  const usable = (rule: RoutingRule): RouteChain | undefined => {
    const chain = usableRoutes(rule, isUsable);
    if (chain.length === 0) return undefined;
    const key = chain.join();
    const known = chains.get(key) ?? chain;
    chains.set(key, known);
    return known;
  };
  const rest = standard === null ? null : [standard];
  const match = index.matcher(send, usable);
  if (index.dependsOnNumber(send)) return { only: null, chainOf: (number) => match(number) ?? rest };
  const only = match('') ?? rest;
  return only && constant(only);
}

/** Those of a rule's routes that can be used, in its order. */
export const usableRoutes = ({ routes }: RoutingRule, isUsable: (routeId: number) => boolean): number[] =>
  routes.filter(isUsable);

const constant = (chain: RouteChain): RoutePlan => ({ only: chain, chainOf: () => chain });

/** Why a rule was not the one: who it is for, or what it names. */
export type Unfit = 'account' | 'category' | 'routes';

/** @returns null when the rule counts for such a send */
export function unfitness(rule: RoutingRule, send: RuledSend, isUsable: (routeId: number) => boolean): Unfit | null {
  if (!isFor({ ...rule, categories: null }, send)) return 'account';
  if (!isFor(rule, send)) return 'category';
  return usableRoutes(rule, isUsable).length === 0 ? 'routes' : null;
}
