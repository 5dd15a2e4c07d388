import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Account, AuditLog } from '../../accounts/index.js';
import { CHAT_STATUS_LABELS } from '../../channels/chat/index.js';
import { RecipientStatus } from '../../engine/index.js';
import { ScheduledMessageStore } from '../persistence/scheduled-message-store.js';
import { sessionErrors } from '../session-messages.errors.js';

/**
 * Cancels a scheduled session message that has not been sent yet.
 * @throws AppError 404 `Message not found`, 409 `Message is already <state>`
 */
export class CancelSessionMessageCommand extends Command<void> {
  constructor(
    readonly actor: Account,
    readonly id: number,
  ) {
    super();
  }
}

/** The state of a message that is listed as pending, but may have left. */
const UNDER_WAY = 'sending';

@CommandHandler(CancelSessionMessageCommand)
export class CancelSessionMessageHandler implements ICommandHandler<CancelSessionMessageCommand> {
  constructor(
    private readonly store: ScheduledMessageStore,
    private readonly audit: AuditLog,
  ) {}

  async execute({ actor, id }: CancelSessionMessageCommand): Promise<void> {
    const entry = { actor, action: 'session_message.cancel', subject: String(id), details: {} };
    const found = await this.store.cancel(actor.id, id, (tx) => this.audit.record(tx, entry));
    if (found === null) throw sessionErrors.notFound();
    if (found !== 'done') {
      throw sessionErrors.already(
        found === RecipientStatus.Unknown ? UNDER_WAY : CHAT_STATUS_LABELS[found].toLowerCase(),
      );
    }
  }
}
