import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Idempotency } from '../../idempotency/index.js';
import { ChatAccounts, usableAccount } from '../../providers/index.js';
import { hasNotLeft, type ProviderAnswer, SessionSender } from '../dispatch/session-sender.js';
import { SendSessionMessageCommand } from './send-session-message.command.js';

@CommandHandler(SendSessionMessageCommand)
export class SendSessionMessageHandler implements ICommandHandler<SendSessionMessageCommand> {
  constructor(
    private readonly accounts: ChatAccounts,
    private readonly sender: SessionSender,
    private readonly idempotency: Idempotency,
  ) {}

  async execute({ accountId, message, idempotent }: SendSessionMessageCommand): Promise<ProviderAnswer> {
    const send = async (): Promise<ProviderAnswer> =>
      this.sender.send(usableAccount(await this.accounts.find(accountId, 'official')), message);
    return this.idempotency.onceLeaving(idempotent, send, hasNotLeft);
  }
}
