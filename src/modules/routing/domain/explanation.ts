import { MOST_CANDIDATES } from './limits.js';
import { type PlanParts, planOf, type RouteChain, type Unfit, unfitness, usableRoutes } from './route-plan.js';
import type { RoutingRule } from './rule-index.js';

/** A rule whose prefix a number begins with, and what became of it. */
export interface Candidate {
  rule: RoutingRule;
  prefix: string;
  /** those of its routes that the account may use */
  usable: RouteChain;
  /** why it did not count; null = it would have been the one */
  unfit: Unfit | null;
  isWinner: boolean;
}

/** How the routes of one number were found. */
export interface Explanation {
  chain: RouteChain | null;
  by: 'service' | 'rule' | 'default' | 'none';
  /** in the order in which they were asked, the first hundred */
  candidates: Candidate[];
  /** how many there are */
  total: number;
}

/** The way of `planOf` for one number, with everything on it. */
export function explain(parts: PlanParts, number: string): Explanation {
  const { index, send, named, isUsable } = parts;
  const chain = planOf(parts)?.chainOf(number) ?? null;
  const candidates: Candidate[] = [];
  let total = 0;
  let isDecided = named !== null;
  for (const { rule, prefix } of index.candidates(number)) {
    const unfit = unfitness(rule, send, isUsable);
    const isWinner = !isDecided && unfit === null;
    isDecided ||= isWinner;
    total += 1;
    const hasRoom = candidates.length < MOST_CANDIDATES;
    if (hasRoom) candidates.push({ rule, prefix, usable: usableRoutes(rule, isUsable), unfit, isWinner });
    else if (isWinner) {
      // Whatever is left out, the one that decided is shown.
      candidates[MOST_CANDIDATES - 1] = { rule, prefix, usable: usableRoutes(rule, isUsable), unfit, isWinner };
    }
  }
  const byRule = named === null && isDecided;
  return { chain, by: named !== null ? 'service' : byRule ? 'rule' : chain ? 'default' : 'none', candidates, total };
}
