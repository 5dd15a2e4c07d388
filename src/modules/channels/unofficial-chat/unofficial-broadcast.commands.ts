import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Sender, Submissions } from '../../engine/index.js';
import type { IdempotentRequest } from '../../idempotency/index.js';
import { acceptedBroadcast, type AcceptedBroadcast } from '../broadcasts/index.js';
import { type UnofficialBroadcast, unofficialChannel } from './unofficial.channel.js';

/**
 * Accepts an unofficial broadcast that passed the error table: routed, charged to `bulk_chat_credits` at 1 a contact,
 * stored and handed to the engine in one transaction.
 * @throws AppError `unavailable` without a usable route (before the debit), `invalid` when the credits do not suffice
 */
export class SendUnofficialBroadcastCommand extends Command<AcceptedBroadcast> {
  constructor(
    readonly sender: Sender,
    readonly broadcast: UnofficialBroadcast,
    readonly idempotent: IdempotentRequest | null,
  ) {
    super();
  }
}

@CommandHandler(SendUnofficialBroadcastCommand)
export class SendUnofficialBroadcastHandler implements ICommandHandler<SendUnofficialBroadcastCommand> {
  constructor(private readonly submissions: Submissions) {}

  async execute({ sender, broadcast, idempotent }: SendUnofficialBroadcastCommand): Promise<AcceptedBroadcast> {
    const { broadcastName, service, recipients, schedule, message, attachments, mediaWithCaption } = broadcast;
    const submission = {
      channel: unofficialChannel,
      sender,
      broadcastName,
      service,
      recipients,
      schedule,
      content: { message, ...attachments, media_with_caption: mediaWithCaption },
    };
    return this.submissions.submit(submission, idempotent, acceptedBroadcast);
  }
}
