import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { assertSeen } from '../../kernel/errors.js';
import { type Environment, ENVIRONMENT } from '../../platform/config/index.js';
import { inTransaction, isDuplicateKey } from '../../platform/database/index.js';
import { type Account, AuditLog, createdBy } from '../accounts/index.js';
import { assertWithin } from '../quotas/index.js';
import { type RegisteredSender, type SenderContent, type SenderMove, statusAfter } from './sender-id.js';
import { senderIdErrors } from './sender-ids.errors.js';
import { SenderIdStore } from './sender-ids.store.js';
import { SenderIdEntity } from './tables.js';

/** Registers a sender id for review, or renews a rejected one in its row. @throws AppError conflict; invalid over the limit */
export class RegisterSenderIdCommand extends Command<RegisteredSender> {
  constructor(
    readonly actor: Account,
    readonly content: SenderContent,
  ) {
    super();
  }
}

@CommandHandler(RegisterSenderIdCommand)
export class RegisterSenderIdHandler implements ICommandHandler<RegisterSenderIdCommand> {
  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly store: SenderIdStore,
    private readonly audit: AuditLog,
  ) {}

  async execute({ actor, content }: RegisterSenderIdCommand): Promise<RegisteredSender> {
    try {
      return await inTransaction(this.dataSource, (tx) => this.register(tx, actor, content));
    } catch (error) {
      if (isDuplicateKey(error)) throw senderIdErrors.taken();
      throw error;
    }
  }

  private async register(tx: EntityManager, actor: Account, content: SenderContent): Promise<RegisteredSender> {
    const sender = await this.pending(tx, actor, content);
    const details = { id: sender.id, sender_id: sender.senderId, channel: sender.channel };
    await this.audit.record(tx, { actor, action: 'sender_id.register', subject: actor.username, details });
    return sender;
  }

  private async pending(tx: EntityManager, actor: Account, content: SenderContent): Promise<RegisteredSender> {
    const { id: accountId } = actor;
    const { channel, senderId } = content;
    const known = await this.store.locked(tx, { accountId, channel, senderId });
    if (known && known.status !== 'rejected') throw senderIdErrors.taken();
    if (known) return this.store.renew(tx, known, content);
    const sender = await this.store.create(tx, accountId, content, createdBy(actor));
    const quota = { accountId, kind: 'sender_ids', most: this.environment.SENDER_IDS_PER_ACCOUNT } as const;
    await assertWithin(tx, quota, SenderIdEntity, senderIdErrors.tooMany);
    return sender;
  }
}

/** Staff approve or reject a sender id, with an audit entry. @throws AppError not_found; conflict on status or revision */
export class MoveSenderIdCommand extends Command<void> {
  /** @param revision what staff have seen; null = not given, which is valid only for the first revision */
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

/** Removes a sender id in any status; accepted campaigns keep it. @throws AppError not_found */
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
