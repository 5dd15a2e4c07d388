import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { ChatAccounts, chatAccountErrors } from '../../providers/index.js';
import { RequireChatAccountQuery } from './require-chat-account.query.js';

@QueryHandler(RequireChatAccountQuery)
export class RequireChatAccountHandler implements IQueryHandler<RequireChatAccountQuery> {
  constructor(private readonly accounts: ChatAccounts) {}

  async execute({ accountId }: RequireChatAccountQuery): Promise<void> {
    if (!(await this.accounts.find(accountId, 'official'))) throw chatAccountErrors.notFound();
  }
}
