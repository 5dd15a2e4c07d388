import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { ChatAccounts, usableAccount } from '../../providers/index.js';
import { type ProviderAnswer, SessionSender } from '../dispatch/session-sender.js';
import { SendSessionMessageCommand } from './send-session-message.command.js';

@CommandHandler(SendSessionMessageCommand)
export class SendSessionMessageHandler implements ICommandHandler<SendSessionMessageCommand> {
  constructor(
    private readonly accounts: ChatAccounts,
    private readonly sender: SessionSender,
  ) {}

  async execute({ accountId, message }: SendSessionMessageCommand): Promise<ProviderAnswer> {
    return this.sender.send(usableAccount(await this.accounts.find(accountId, 'official')), message);
  }
}
