import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { assertSeen } from '../../../kernel/revision.js';
import { inTransaction } from '../../../platform/database/index.js';
import { type Account, AuditLog } from '../../accounts/index.js';
import { type SenderMove, statusAfter } from '../domain/sender-id.js';
import { SenderIdStore } from '../persistence/sender-id-store.js';
import { senderIdErrors } from '../sender-ids.errors.js';

/**
 * Staff approve or reject a sender id of any account; kept in the audit log.
 * @throws AppError not_found; conflict `Sender id is already <status>`, `Changed since you looked`
 */
export class MoveSenderIdCommand extends Command<void> {
  /** @param revision what was looked at; null = not named, which will do for what was never registered again */
  constructor(
    readonly actor: Account,
    readonly id: number,
    readonly move: SenderMove,
    readonly reason: string | null,
    readonly revision: number | null,
  ) {
    super();
  }
}

@CommandHandler(MoveSenderIdCommand)
export class MoveSenderIdHandler implements ICommandHandler<MoveSenderIdCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly store: SenderIdStore,
    private readonly audit: AuditLog,
  ) {}

  execute({ actor, id, move, reason, revision }: MoveSenderIdCommand): Promise<void> {
    return inTransaction(this.dataSource, async (tx) => {
      const sender = await this.store.locked(tx, { id });
      if (!sender) throw senderIdErrors.notFound();
      const status = statusAfter(move, sender.status);
      if (status === null) throw senderIdErrors.wrongState(sender.status);
      assertSeen(sender.revision, revision);
      await this.store.move(tx, sender, status, reason);
      const { senderId: sender_id, channel, dltEntityId: dlt_entity_id, status: from } = sender;
      const details = { sender_id, channel, dlt_entity_id, from, to: status, reason, revision: sender.revision };
      await this.audit.record(tx, {
        actor,
        action: `sender_id.${move}`,
        subject: String(id),
        accountId: sender.accountId,
        details,
      });
    });
  }
}
