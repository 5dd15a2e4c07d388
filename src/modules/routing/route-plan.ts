export interface RoutingRule {
  table: string;
  /** 1 = the first of its table */
  place: number;
  /** digits; empty = every number */
  prefixes: readonly string[];
  /** null = every account */
  accounts: ReadonlySet<number> | null;
  /** null = every category, and none */
  categories: ReadonlySet<string> | null;
  /** ids: the first sends, the others take over when it fails */
  routes: readonly number[];
}

export interface RuledSend {
  accountId: number;
  category: string | null;
}

/** A rule with a matching prefix. */
export interface RuleFound {
  rule: RoutingRule;
  /** the rule's longest match; '' = every number */
  prefix: string;
}

/** Whether a rule applies to a send, apart from the number. */
const isFor = ({ accounts, categories }: RoutingRule, { accountId, category }: RuledSend): boolean =>
  (accounts === null || accounts.has(accountId)) &&
  (categories === null || (category !== null && categories.has(category)));

/** Rules of one kind of route, by prefix; per prefix those with accounts first, then with categories, then by table and row. */
export class RuleIndex {
  private readonly byPrefix = new Map<string, RoutingRule[]>();
  private readonly lengths: readonly number[];
  private readonly forAll: RoutingRule[] = [];
  private readonly byAccount = new Map<number, RoutingRule[]>();

  constructor(rules: readonly RoutingRule[]) {
    const lengths = new Set<number>();
    for (const rule of [...rules].sort(compare)) {
      if (rule.accounts === null) this.forAll.push(rule);
      for (const account of rule.accounts ?? []) add(this.byAccount, account, rule);
      for (const prefix of prefixesOf(rule)) {
        add(this.byPrefix, prefix, rule);
        lengths.add(prefix.length);
      }
    }
    this.lengths = [...lengths].sort((a, b) => b - a);
  }

  /** Whether the route of such a send depends on the number. */
  dependsOnNumber(send: RuledSend): boolean {
    const depends = (rule: RoutingRule): boolean => rule.prefixes.length > 0 && isFor(rule, send);
    return (this.byAccount.get(send.accountId) ?? []).some(depends) || this.forAll.some(depends);
  }

  /** Matching prefixes of a number, longest first. */
  *prefixesOf(number: string): Generator<string, void, undefined> {
    for (const length of this.lengths) {
      if (length > number.length) continue;
      const prefix = number.slice(0, length);
      if (this.byPrefix.has(prefix)) yield prefix;
    }
  }

  /** Rules of a prefix in their order; the first that applies wins. */
  rulesOf(prefix: string): readonly RoutingRule[] {
    return this.byPrefix.get(prefix) ?? [];
  }

  /** A matcher for one send; caches the result per prefix. @param usable result of a rule; undefined skips it */
  matcher<Result>(
    send: RuledSend,
    usable: (rule: RoutingRule) => Result | undefined,
  ): (number: string) => Result | undefined {
    const { byPrefix, lengths } = this;
    const found = new Map<string, Result | undefined>();
    const resultOf = (prefix: string, rules: readonly RoutingRule[]): Result | undefined => {
      if (found.has(prefix)) return found.get(prefix);
      let result: Result | undefined;
      for (let i = 0; i < rules.length && result === undefined; i++) {
        const rule = rules[i] as RoutingRule;
        if (isFor(rule, send)) result = usable(rule);
      }
      found.set(prefix, result);
      return result;
    };
    return (number) => {
      for (const length of lengths) {
        if (length > number.length) continue;
        const prefix = number.slice(0, length);
        const rules = byPrefix.get(prefix);
        const result = rules && resultOf(prefix, rules);
        if (result !== undefined) return result;
      }
      return undefined;
    };
  }

  /** All rules with a matching prefix, in order. */
  *candidates(number: string): Generator<RuleFound, void, undefined> {
    const seen = new Set<RoutingRule>();
    for (const prefix of this.prefixesOf(number)) {
      for (const rule of this.rulesOf(prefix)) {
        if (seen.has(rule)) continue;
        seen.add(rule);
        yield { rule, prefix };
      }
    }
  }
}

const EVERY_NUMBER = [''];

const prefixesOf = (rule: RoutingRule): Iterable<string> =>
  rule.prefixes.length === 0 ? EVERY_NUMBER : new Set(rule.prefixes);

function add<Key>(rules: Map<Key, RoutingRule[]>, key: Key, rule: RoutingRule): void {
  const known = rules.get(key);
  if (known) known.push(rule);
  else rules.set(key, [rule]);
}

/** Precedence of rules with the same prefix. */
const compare = (a: RoutingRule, b: RoutingRule): number =>
  Number(a.accounts === null) - Number(b.accounts === null) ||
  Number(a.categories === null) - Number(b.categories === null) ||
  (a.table < b.table ? -1 : Number(a.table > b.table)) ||
  a.place - b.place;

export type RouteChain = readonly number[];

/** The routes of a send's numbers. */
export interface RoutePlan {
  /** the chain of every number; null = depends on the number */
  only: RouteChain | null;
  /** null = no route for this number */
  chainOf(number: string): RouteChain | null;
}

/** The plan of a send that uses one route for every number. */
export const onlyRoute = (routeId: number): RoutePlan => ({ only: [routeId], chainOf: () => [routeId] });

export interface PlanParts {
  index: RuleIndex;
  send: RuledSend;
  /** the route that the sender named, if usable */
  named: number | null;
  /** the default route of the kind, if usable */
  standard: number | null;
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

/** The usable routes of a rule, in its order. */
export const usableRoutes = ({ routes }: RoutingRule, isUsable: (routeId: number) => boolean): number[] =>
  routes.filter(isUsable);

const constant = (chain: RouteChain): RoutePlan => ({ only: chain, chainOf: () => chain });

/** Why a rule was skipped: its account, its category, or no usable route. */
export type Unfit = 'account' | 'category' | 'routes';

/** @returns null when the rule applies */
export function unfitness(rule: RoutingRule, send: RuledSend, isUsable: (routeId: number) => boolean): Unfit | null {
  if (!isFor({ ...rule, categories: null }, send)) return 'account';
  if (!isFor(rule, send)) return 'category';
  return usableRoutes(rule, isUsable).length === 0 ? 'routes' : null;
}
