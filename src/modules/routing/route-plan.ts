/** A rule of a routing table. */
export interface RoutingRule {
  table: string;
  /** in its table, 1 = the first */
  place: number;
  /** what numbers begin with, digits; none = every number */
  prefixes: readonly string[];
  /** null = whichever account */
  accounts: ReadonlySet<number> | null;
  /** null = whichever category, and none */
  categories: ReadonlySet<string> | null;
  /** ids: the first carries, the others take over */
  routes: readonly number[];
}

/** Who sends what, as far as rules ask. */
export interface RuledSend {
  accountId: number;
  category: string | null;
}

/** A rule that a number begins with one prefix of. */
export interface RuleFound {
  rule: RoutingRule;
  /** the longest of the rule's that fits; '' = every number */
  prefix: string;
}

/** Whether the rule is for such a send, whatever its number. */
const isFor = ({ accounts, categories }: RoutingRule, { accountId, category }: RuledSend): boolean =>
  (accounts === null || accounts.has(accountId)) &&
  (categories === null || (category !== null && categories.has(category)));

/**
 * The rules of one kind of route by their prefixes. Of several rules of one prefix those that name accounts come first, then
 * those that name categories, then by name of the table and place.
 */
export class RuleIndex {
  private readonly byPrefix = new Map<string, RoutingRule[]>();
  /** of the prefixes, longest first */
  private readonly lengths: readonly number[];
  /** rules that name no account, and those that do by account */
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

  /** Whether it depends on the number over which route such a send leaves. */
  dependsOnNumber(send: RuledSend): boolean {
    const depends = (rule: RoutingRule): boolean => rule.prefixes.length > 0 && isFor(rule, send);
    return (this.byAccount.get(send.accountId) ?? []).some(depends) || this.forAll.some(depends);
  }

  /** The prefixes of rules that a number begins with, longest first. */
  *prefixesOf(number: string): Generator<string, void, undefined> {
    for (const length of this.lengths) {
      if (length > number.length) continue;
      const prefix = number.slice(0, length);
      if (this.byPrefix.has(prefix)) yield prefix;
    }
  }

  /** The rules of a prefix, the first that is for a send wins. */
  rulesOf(prefix: string): readonly RoutingRule[] {
    return this.byPrefix.get(prefix) ?? [];
  }

  /**
   * A matcher for one send: what the rules of a prefix come to is found out once, however many numbers begin with it.
   * @param usable what a rule comes to; undefined = it does not count
   */
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

  /** Every rule whose prefixes a number begins with, in the order in which they are asked. */
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

/** Precedence of rules of the same prefix. */
export const compare = (a: RoutingRule, b: RoutingRule): number =>
  Number(a.accounts === null) - Number(b.accounts === null) ||
  Number(a.categories === null) - Number(b.categories === null) ||
  (a.table < b.table ? -1 : Number(a.table > b.table)) ||
  a.place - b.place;

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
