import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { ENVIRONMENT, type Environment } from '../../../../platform/config/index.js';
import type { IdempotentRequest } from '../../../idempotency/index.js';
import {
  type AcceptedBroadcast,
  BroadcastSubmission,
  type BroadcastSender,
  type BroadcastTerms,
} from '../../broadcasts/index.js';
import type { UnofficialBroadcast } from '../unofficial-broadcast.js';
import { UNOFFICIAL_BALANCE, UNOFFICIAL_CREDITS } from '../unofficial.offer.js';

/**
 * Accepts an unofficial broadcast that passed the error table: routed, charged to `bulk_chat_credits` at 1 a contact,
 * stored and handed to the engine in one transaction.
 * @throws AppError `unavailable` without a usable route (before the debit), `invalid` when the credits do not suffice
 */
export class SendUnofficialBroadcastCommand extends Command<AcceptedBroadcast> {
  constructor(
    readonly sender: BroadcastSender,
    readonly broadcast: UnofficialBroadcast,
    readonly idempotent: IdempotentRequest | null,
  ) {
    super();
  }
}

/** What an unofficial broadcast costs and carries; the desk does the rest. */
@CommandHandler(SendUnofficialBroadcastCommand)
export class SendUnofficialBroadcastHandler implements ICommandHandler<SendUnofficialBroadcastCommand> {
  constructor(
    private readonly desk: BroadcastSubmission,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  async execute({ sender, broadcast, idempotent }: SendUnofficialBroadcastCommand): Promise<AcceptedBroadcast> {
    const { message, attachments, mediaWithCaption } = broadcast;
    const terms: BroadcastTerms = {
      channel: 'unofficial',
      idPrefix: this.environment.UNOFFICIAL_PREFIX,
      balance: UNOFFICIAL_BALANCE,
      unitCredits: UNOFFICIAL_CREDITS,
      content: { message, ...attachments, media_with_caption: mediaWithCaption },
    };
    return this.desk.accept(sender, broadcast, terms, idempotent);
  }
}
