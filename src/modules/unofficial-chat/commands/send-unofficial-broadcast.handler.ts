import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { ENVIRONMENT, type Environment } from '../../../platform/config/index.js';
import { type AcceptedBroadcast, BroadcastDesk, type BroadcastTerms } from '../../broadcasts/index.js';
import { UNOFFICIAL_BALANCE, UNOFFICIAL_CREDITS } from '../unofficial.offer.js';
import { SendUnofficialBroadcastCommand } from './send-unofficial-broadcast.command.js';

/** What an unofficial broadcast costs and carries; the desk does the rest. */
@CommandHandler(SendUnofficialBroadcastCommand)
export class SendUnofficialBroadcastHandler implements ICommandHandler<SendUnofficialBroadcastCommand> {
  constructor(
    private readonly desk: BroadcastDesk,
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
