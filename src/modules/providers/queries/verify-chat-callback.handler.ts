import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { AppError } from '../../../kernel/app-error.js';
import { constantTimeEqual } from '../../../platform/security/index.js';
import { readAccountId } from '../chat-account.js';
import { takenSecrets } from '../former-secret.js';
import { ChatAccounts } from '../persistence/chat-accounts.js';
import { VerifyChatCallback } from './verify-chat-callback.query.js';

@QueryHandler(VerifyChatCallback)
export class VerifyChatCallbackHandler implements IQueryHandler<VerifyChatCallback> {
  constructor(private readonly accounts: ChatAccounts) {}

  async execute({ accountId, hub }: VerifyChatCallback): Promise<string> {
    const id = readAccountId(accountId);
    const account = id === null ? null : await this.accounts.byId(id);
    const given = typeof hub.verifyToken === 'string' ? hub.verifyToken : '';
    const tokens = account ? takenSecrets(account.verifyToken, account.formerVerifyToken) : [];
    const isKnown = (tokens.length > 0 ? tokens : ['no such account'])
      .map((token) => constantTimeEqual(given, token))
      .includes(true);
    if (tokens.length === 0 || !isKnown || hub.mode !== 'subscribe') {
      throw new AppError('forbidden', 'wrong_callback', 'Forbidden');
    }
    return typeof hub.challenge === 'string' ? hub.challenge : '';
  }
}
