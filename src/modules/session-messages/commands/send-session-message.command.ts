import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Account, createdBy } from '../../accounts/index.js';
import { Idempotency, type IdempotentRequest } from '../../idempotency/index.js';
import { ChatAccounts, usableAccount } from '../../providers/index.js';
import { hasNotLeft, type ProviderAnswer, SessionSender } from '../dispatch/session-sender.js';
import type { SessionMessage } from '../domain/session-message.js';

/**
 * Sends a v6 session message over the account's official chat connection; answers what the provider answered, with
 * `messaging_product` as our API spells it. Whether the 24-hour window is open is the provider's to say
 * (reference/session-messages#24-hour-window).
 * @throws AppError 404 and 500 for a connection that cannot send, 502 when the provider refuses or is silent
 */
export class SendSessionMessageCommand extends Command<ProviderAnswer> {
  constructor(
    readonly actor: Account,
    readonly message: SessionMessage,
    readonly idempotent: IdempotentRequest | null,
  ) {
    super();
  }
}

@CommandHandler(SendSessionMessageCommand)
export class SendSessionMessageHandler implements ICommandHandler<SendSessionMessageCommand> {
  constructor(
    private readonly accounts: ChatAccounts,
    private readonly sender: SessionSender,
    private readonly idempotency: Idempotency,
  ) {}

  async execute({ actor, message, idempotent }: SendSessionMessageCommand): Promise<ProviderAnswer> {
    const send = async (): Promise<ProviderAnswer> =>
      this.sender.send(usableAccount(await this.accounts.find(actor.id, 'official')), message, createdBy(actor));
    return this.idempotency.onceLeaving(idempotent, send, hasNotLeft);
  }
}
