import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { chatAccountErrors, ChatAccounts } from '../../providers/index.js';

/**
 * Makes sure that the account has a chat connection, which the session endpoints say before they look at a body.
 * @throws AppError not_found `No chat account found for this username`
 */
export class RequireChatAccountQuery extends Query<void> {
  constructor(readonly accountId: number) {
    super();
  }
}

@QueryHandler(RequireChatAccountQuery)
export class RequireChatAccountHandler implements IQueryHandler<RequireChatAccountQuery> {
  constructor(private readonly accounts: ChatAccounts) {}

  async execute({ accountId }: RequireChatAccountQuery): Promise<void> {
    if (!(await this.accounts.find(accountId, 'official'))) throw chatAccountErrors.notFound();
  }
}
