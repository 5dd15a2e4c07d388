import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { constantTimeEqual } from '../../platform/security/index.js';
import { readAccountId } from './chat-account.js';
import { ChatAccounts } from './chat-accounts.store.js';
import { wrongCallback } from './providers.errors.js';
import { takenSecrets } from './secrets.js';

/** Answers the provider's challenge for a callback address. @throws AppError `forbidden` (account, verify token) */
export class VerifyChatCallbackQuery extends Query<string> {
  constructor(
    readonly accountId: string,
    readonly hub: { mode: unknown; verifyToken: unknown; challenge: unknown },
  ) {
    super();
  }
}

@QueryHandler(VerifyChatCallbackQuery)
export class VerifyChatCallbackHandler implements IQueryHandler<VerifyChatCallbackQuery> {
  constructor(private readonly accounts: ChatAccounts) {}

  async execute({ accountId, hub }: VerifyChatCallbackQuery): Promise<string> {
    const id = readAccountId(accountId);
    const account = id === null ? null : await this.accounts.byId(id);
    const given = typeof hub.verifyToken === 'string' ? hub.verifyToken : '';
    const tokens = account ? takenSecrets(account.verifyToken, account.formerVerifyToken) : [];
    const isKnown = (tokens.length > 0 ? tokens : ['no such account'])
      .map((token) => constantTimeEqual(given, token))
      .includes(true);
    if (tokens.length === 0 || !isKnown || hub.mode !== 'subscribe') {
      throw wrongCallback();
    }
    return typeof hub.challenge === 'string' ? hub.challenge : '';
  }
}
