import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { CHAT_WORDS, RecipientStatus } from '../../campaigns/index.js';
import { ScheduledMessageStore } from '../persistence/scheduled-message-store.js';
import { sessionErrors } from '../session-messages.errors.js';
import { CancelSessionMessage } from './cancel-session-message.command.js';

/** Its word says pending, which it is no more: it may have left. */
const UNDER_WAY = 'sending';

@CommandHandler(CancelSessionMessage)
export class CancelSessionMessageHandler implements ICommandHandler<CancelSessionMessage> {
  constructor(private readonly store: ScheduledMessageStore) {}

  async execute({ accountId, id }: CancelSessionMessage): Promise<void> {
    const found = await this.store.cancel(accountId, id);
    if (found === null) throw sessionErrors.notFound();
    if (found !== 'done') {
      throw sessionErrors.already(found === RecipientStatus.Unknown ? UNDER_WAY : CHAT_WORDS[found].toLowerCase());
    }
  }
}
