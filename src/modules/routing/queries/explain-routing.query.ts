import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { AccountDirectory, accountErrors } from '../../accounts/index.js';
import { callingCodeOf } from '../../numbers/index.js';
import { type OperatorRouteKind, RouteStandings, STOPPED, UNHEARD } from '../../providers/index.js';
import { type Candidate, explain, type Explanation } from '../domain/explanation.js';
import type { CandidateData, ExplanationData } from '../http/routing.dto.js';
import { Routing, type RoutingParts } from '../routing.js';

/** What a send would be. */
export interface ExplainedSend {
  username: string;
  kind: OperatorRouteKind;
  /** digits */
  number: string;
  service: string | null;
  category: string | null;
}

/** Over which routes a number would leave, and why. Throws 404 `Account not found`. */
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
        const { health, lastError } = standings.get(id) ?? UNHEARD;
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
