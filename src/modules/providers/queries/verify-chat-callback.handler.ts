import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { AppError } from '../../../kernel/app-error.js';
import { constantTimeEqual } from '../../../platform/security/index.js';
import { readAccountId } from '../chat-account.js';
import { ChatAccounts } from '../persistence/chat-accounts.js';
import { VerifyChatCallback } from './verify-chat-callback.query.js';

@QueryHandler(VerifyChatCallback)
export class VerifyChatCallbackHandler implements IQueryHandler<VerifyChatCallback> {
  constructor(private readonly accounts: ChatAccounts) {}

  async execute({ accountId, hub }: VerifyChatCallback): Promise<string> {
    const id = readAccountId(accountId);
    const account = id === null ? null : await this.accounts.byId(id);
    const given = typeof hub.verifyToken === 'string' ? hub.verifyToken : '';
    const isKnown = constantTimeEqual(given, account?.verifyToken ?? 'no such account');
    if (!account || account.verifyToken === null || !isKnown || hub.mode !== 'subscribe') {
      throw new AppError('forbidden', 'wrong_callback', 'Forbidden');
    }
    return typeof hub.challenge === 'string' ? hub.challenge : '';
  }
}
