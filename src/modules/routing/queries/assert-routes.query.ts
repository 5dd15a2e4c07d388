import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { Account } from '../../accounts/index.js';
import { RouteDirectory } from '../../providers/index.js';
import { MOST_OF_A_RULE } from '../domain/limits.js';
import { routingErrors } from '../routing.errors.js';

/** Whether there are the routes that an account shall be held to. Throws 400 `Unknown routes: …`. */
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
    if (actor.userType === 'reseller') return; // is refused whatever it names, and is not told which routes there are
    if (names.length > MOST_OF_A_RULE) throw routingErrors.tooManyAllowed();
    const known = new Set((await this.routes.list()).map(({ name }) => name));
    const unknown = names.filter((name) => !known.has(name));
    if (unknown.length > 0) throw routingErrors.unknownRoutes(unknown);
  }
}
