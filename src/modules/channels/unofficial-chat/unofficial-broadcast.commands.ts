import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Submission, Submissions } from '../../engine/index.js';
import type { IdempotentRequest } from '../../idempotency/index.js';
import { acceptedBroadcast, type AcceptedBroadcast } from '../broadcasts/index.js';
import { type UnofficialBroadcastRequest, unofficialChannel } from './unofficial.channel.js';

/** Accepts a validated broadcast for 1 `bulk_chat_credits` a contact. @throws AppError `unavailable`, `invalid` (credits) */
export class SendUnofficialBroadcastCommand extends Command<AcceptedBroadcast> {
  constructor(
    readonly sender: Submission['sender'],
    readonly request: UnofficialBroadcastRequest,
    readonly idempotent: IdempotentRequest | null,
  ) {
    super();
  }
}

@CommandHandler(SendUnofficialBroadcastCommand)
export class SendUnofficialBroadcastHandler implements ICommandHandler<SendUnofficialBroadcastCommand> {
  constructor(private readonly submissions: Submissions) {}

  async execute({ sender, request, idempotent }: SendUnofficialBroadcastCommand): Promise<AcceptedBroadcast> {
    const { broadcastName, service, recipients, schedule, late, message, attachments, mediaWithCaption } = request;
    const submission = {
      channel: unofficialChannel,
      sender,
      broadcastName,
      service,
      recipients,
      schedule,
      late,
      content: { message, ...attachments, media_with_caption: mediaWithCaption },
    };
    return this.submissions.submit(submission, idempotent, acceptedBroadcast);
  }
}
