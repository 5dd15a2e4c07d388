import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { inTransaction } from '../../../platform/database/index.js';
import { type Account, AuditLog } from '../../accounts/index.js';
import { SenderIdStore } from '../persistence/sender-id-store.js';
import { senderIdErrors } from '../sender-ids.errors.js';

/**
 * The owner gives a sender id up, whatever its status. Campaigns that were accepted under it keep it.
 * @throws AppError not_found
 */
export class RemoveSenderIdCommand extends Command<void> {
  constructor(
    readonly actor: Account,
    readonly id: number,
  ) {
    super();
  }
}

@CommandHandler(RemoveSenderIdCommand)
export class RemoveSenderIdHandler implements ICommandHandler<RemoveSenderIdCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly store: SenderIdStore,
    private readonly audit: AuditLog,
  ) {}

  execute({ actor, id }: RemoveSenderIdCommand): Promise<void> {
    return inTransaction(this.dataSource, async (tx) => {
      const sender = await this.store.locked(tx, { id });
      if (sender?.accountId !== actor.id) throw senderIdErrors.notFound();
      await this.store.remove(tx, id);
      const details = { id, sender_id: sender.senderId, channel: sender.channel };
      await this.audit.record(tx, { actor, action: 'sender_id.remove', subject: actor.username, details });
    });
  }
}
