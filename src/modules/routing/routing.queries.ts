import { Injectable } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { dateTime } from '../../kernel/clock.js';
import { type Account, AccountDirectory, accountErrors } from '../accounts/index.js';
import { callingCodeOf } from '../numbers/index.js';
import { type OperatorRouteKind, RouteDirectory, RouteStandings, STOPPED, UNREPORTED } from '../providers/index.js';
import {
  planOf,
  type PlanParts,
  type RouteChain,
  type RoutingRule,
  type Unfit,
  unfitness,
  usableRoutes,
} from './route-plan.js';
import { MOST_CANDIDATES, MOST_OF_A_RULE } from './routing-form.js';
import { RoutingTables } from './routing-tables.store.js';
import type { CandidateData, ExplanationData, RoutingTableData, RoutingTableSummaryData } from './routing.dto.js';
import { routingErrors } from './routing.errors.js';
import { Routing, type RoutingParts } from './routing.js';

/** A rule with a matching prefix, and its result. */
interface Candidate {
  rule: RoutingRule;
  prefix: string;
  usable: RouteChain;
  /** why it was skipped; null = it applies */
  unfit: Unfit | null;
  isWinner: boolean;
}

interface Explanation {
  chain: RouteChain | null;
  by: 'service' | 'rule' | 'default' | 'none';
  /** in order, the first hundred */
  candidates: Candidate[];
  total: number;
}

/** Explains `planOf` for one number. */
function explain(parts: PlanParts, number: string): Explanation {
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
      // The deciding rule replaces the last entry shown.
      candidates[MOST_CANDIDATES - 1] = { rule, prefix, usable: usableRoutes(rule, isUsable), unfit, isWinner };
    }
  }
  const byRule = named === null && isDecided;
  return { chain, by: named !== null ? 'service' : byRule ? 'rule' : chain ? 'default' : 'none', candidates, total };
}

export interface ExplainedSend {
  username: string;
  kind: OperatorRouteKind;
  number: string;
  service: string | null;
  category: string | null;
}

/** Explains the routes of a number. Throws 404 `Account not found`. */
export class ExplainRoutingQuery extends Query<ExplanationData> {
  constructor(readonly send: ExplainedSend) {
    super();
  }
}

@QueryHandler(ExplainRoutingQuery)
export class ExplainRoutingHandler implements IQueryHandler<ExplainRoutingQuery> {
  constructor(
    private readonly routing: Routing,
    private readonly accounts: AccountDirectory,
    private readonly standings: RouteStandings,
  ) {}

  async execute({ send }: ExplainRoutingQuery): Promise<ExplanationData> {
    const { username, kind, number, service, category } = send;
    const account = await this.accounts.byUsername(username);
    if (!account) throw accountErrors.notFound();
    const parts = await this.routing.partsFor({ kind, accountId: account.id, service: service ?? '', category });
    const explanation = explain(parts, number);
    const { of: standings } = await this.standings.read();
    return {
      account: username,
      channel: kind,
      number,
      calling_code: callingCodeOf(number),
      service,
      category,
      allowed_routes: parts.allowedRoutes,
      default_route: parts.routes.standard?.name ?? null,
      decided_by: explanation.by,
      routes: (explanation.chain ?? []).map((id) => {
        const { health, lastError } = standings.get(id) ?? UNREPORTED;
        const route = parts.routes.byId.get(id);
        const isStopped = (route?.stopped ?? null) !== null;
        return {
          name: route?.name ?? '',
          health: isStopped ? 'stopped' : health,
          last_error: isStopped ? STOPPED : lastError,
        };
      }),
      candidates: explanation.candidates.map((candidate) => candidateOf(candidate, explanation, parts)),
      candidates_total: explanation.total,
    };
  }
}

function candidateOf(candidate: Candidate, explanation: Explanation, { routes }: RoutingParts): CandidateData {
  const { rule, prefix, usable, isWinner } = candidate;
  const nameOf = (id: number): string | never[] => routes.byId.get(id)?.name ?? [];
  return {
    table: rule.table,
    rule: rule.place,
    prefix,
    names_accounts: rule.accounts !== null,
    categories: rule.categories && [...rule.categories],
    routes: rule.routes.flatMap(nameOf),
    usable_routes: usable.flatMap(nameOf),
    outcome: isWinner ? 'won' : 'lost',
    reason: reasonOf(candidate, explanation),
  };
}

function reasonOf({ isWinner, unfit }: Candidate, { by }: Explanation): CandidateData['reason'] {
  if (isWinner) return 'comes first';
  if (by === 'service') return 'the request names a route';
  switch (unfit) {
    case 'account':
      return 'is for other accounts';
    case 'category':
      return 'is for other categories';
    case 'routes':
      return 'none of its routes may be used';
    case null:
      return 'another rule comes first';
  }
}

const AT_ONCE = 500;

/** Resolves accounts of rules, by username and by id. */
@Injectable()
export class AccountNames {
  constructor(private readonly directory: AccountDirectory) {}

  /** @returns ids; unknown names are missing */
  ids(usernames: Iterable<string>): Promise<Map<string, number>> {
    return inParts(usernames, async (name) => (await this.directory.byUsername(name))?.id);
  }

  usernames(ids: Iterable<number>): Promise<Map<number, string>> {
    return inParts(ids, async (id) => (await this.directory.byId(id))?.username);
  }
}

/** The directory batches simultaneous lookups into one statement. */
async function inParts<Key, Value>(
  keys: Iterable<Key>,
  find: (key: Key) => Promise<Value | undefined>,
): Promise<Map<Key, Value>> {
  const all = [...new Set(keys)];
  const found = new Map<Key, Value>();
  for (let from = 0; from < all.length; from += AT_ONCE) {
    const part = all.slice(from, from + AT_ONCE);
    const values = await Promise.all(part.map(find));
    values.forEach((value, at) => {
      if (value !== undefined) found.set(part[at] as Key, value);
    });
  }
  return found;
}

/** A routing table with its rules; times in `timeZone`. Throws 404 `Routing table not found`. */
export class GetRoutingTableQuery extends Query<RoutingTableData> {
  constructor(
    readonly name: string,
    readonly timeZone: string,
  ) {
    super();
  }
}

@QueryHandler(GetRoutingTableQuery)
export class GetRoutingTableHandler implements IQueryHandler<GetRoutingTableQuery> {
  constructor(
    private readonly tables: RoutingTables,
    private readonly routes: RouteDirectory,
    private readonly accounts: AccountNames,
  ) {}

  async execute({ name, timeZone }: GetRoutingTableQuery): Promise<RoutingTableData> {
    const table = await this.tables.find(name);
    if (!table) throw routingErrors.notFound();
    const usernames = await this.accounts.usernames(table.rules.flatMap(({ accounts }) => accounts ?? []));
    const routes = new Map((await this.routes.list()).map((route) => [route.id, route.name]));
    return {
      name: table.name,
      channel: table.channel,
      rules: table.rules.map((rule) => ({
        prefixes: rule.prefixes,
        accounts: rule.accounts && namesOf(rule.accounts, usernames),
        categories: rule.categories,
        routes: namesOf(rule.routes, routes),
      })),
      created_at: dateTime(table.createdAt, timeZone),
      updated_at: dateTime(table.updatedAt, timeZone),
    };
  }
}

const namesOf = (ids: readonly number[], names: ReadonlyMap<number, string>): string[] =>
  ids.flatMap((id) => names.get(id) ?? []);

/** All routing tables by name, without their rules; times in `timeZone`. */
export class ListRoutingTablesQuery extends Query<RoutingTableSummaryData[]> {
  constructor(readonly timeZone: string) {
    super();
  }
}

@QueryHandler(ListRoutingTablesQuery)
export class ListRoutingTablesHandler implements IQueryHandler<ListRoutingTablesQuery> {
  constructor(private readonly tables: RoutingTables) {}

  async execute({ timeZone }: ListRoutingTablesQuery): Promise<RoutingTableSummaryData[]> {
    return (await this.tables.summaries()).map((table) => ({
      name: table.name,
      channel: table.channel,
      rules: table.ruleCount,
      prefixes: table.prefixes,
      created_at: dateTime(table.createdAt, timeZone),
      updated_at: dateTime(table.updatedAt, timeZone),
    }));
  }
}

/** Checks that the routes to which an account is limited exist. Throws 400 `Unknown routes: …`. */
export class AssertRoutesQuery extends Query<void> {
  constructor(
    readonly actor: Account,
    readonly names: readonly string[],
  ) {
    super();
  }
}

@QueryHandler(AssertRoutesQuery)
export class AssertRoutesHandler implements IQueryHandler<AssertRoutesQuery> {
  constructor(private readonly routes: RouteDirectory) {}

  async execute({ actor, names }: AssertRoutesQuery): Promise<void> {
    if (actor.userType === 'reseller') return; // refused later anyway, without revealing which routes exist
    if (names.length > MOST_OF_A_RULE) throw routingErrors.tooManyAllowed();
    const known = new Set((await this.routes.list()).map(({ name }) => name));
    const unknown = names.filter((name) => !known.has(name));
    if (unknown.length > 0) throw routingErrors.unknownRoutes(unknown);
  }
}
