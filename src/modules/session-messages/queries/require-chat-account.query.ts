import { Query } from '@nestjs/cqrs';

/**
 * Makes sure that the account has a chat connection, which the session endpoints say before they look at a body.
 * @throws AppError not_found `No chat account found for this username`
 */
export class RequireChatAccountQuery extends Query<void> {
  constructor(readonly accountId: number) {
    super();
  }
}
