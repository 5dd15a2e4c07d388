import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { ENVIRONMENT, type Environment } from '../../../platform/config/index.js';
import { type Account, AccountDirectory, isClosedToOthers } from '../../accounts/index.js';
import { storedTemplateAnswer, type TemplateAnswer } from '../http/template.dto.js';
import { TemplateLibrary } from '../persistence/template-library.js';
import { templateErrors } from '../templates.errors.js';

/**
 * All templates of a username, ascending by id, in batches of bounded size; that there are none comes out of the iteration.
 * @throws AppError not_found `Template not found for this username`: none, no such account, or one that demands its own
 * token (reference/authentication#open-routes)
 */
export class ListAccountTemplatesQuery extends Query<AsyncIterable<TemplateAnswer[]>> {
  /** @param viewerId the account whose token the request carries; null = none */
  constructor(
    readonly username: string,
    readonly viewerId: number | null,
  ) {
    super();
  }
}

@QueryHandler(ListAccountTemplatesQuery)
export class ListAccountTemplatesHandler implements IQueryHandler<ListAccountTemplatesQuery> {
  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly accounts: AccountDirectory,
    private readonly library: TemplateLibrary,
  ) {}

  async execute({ username, viewerId }: ListAccountTemplatesQuery): Promise<AsyncIterable<TemplateAnswer[]>> {
    const account = await this.accounts.byUsername(username);
    const isClosed = account !== null && (isClosedToOthers(account) || this.environment.PROTECT_REPORTS);
    if (!account || (isClosed && viewerId !== account.id)) throw templateErrors.noneForUsername();
    return this.records(account);
  }

  private async *records(account: Account): AsyncGenerator<TemplateAnswer[], void, undefined> {
    let found = false;
    for await (const rows of this.library.rowsOfAccount(account.id)) {
      found ||= rows.length > 0;
      yield rows.map((row) => storedTemplateAnswer(row, account));
    }
    if (!found) throw templateErrors.noneForUsername();
  }
}
