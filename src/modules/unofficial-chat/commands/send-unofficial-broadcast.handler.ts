import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { ENVIRONMENT, type Environment } from '../../../platform/config/index.js';
import { type AcceptedBroadcast, BroadcastDesk } from '../../broadcasts/index.js';
import { SendUnofficialBroadcastCommand } from './send-unofficial-broadcast.command.js';

/** What an unofficial broadcast costs and carries; the desk does the rest. */
@CommandHandler(SendUnofficialBroadcastCommand)
export class SendUnofficialBroadcastHandler implements ICommandHandler<SendUnofficialBroadcastCommand> {
  constructor(
    private readonly desk: BroadcastDesk,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  async execute({ sender, broadcast }: SendUnofficialBroadcastCommand): Promise<AcceptedBroadcast> {
    const { message, attachments, mediaWithCaption } = broadcast;
    return this.desk.accept(sender, broadcast, {
      channel: 'unofficial',
      idPrefix: this.environment.UNOFFICIAL_PREFIX,
      balance: 'bulk_chat_credits',
      unitCredits: 1,
      content: { message, ...attachments, media_with_caption: mediaWithCaption },
    });
  }
}
