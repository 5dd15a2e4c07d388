import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { ENVIRONMENT, type Environment } from '../../../platform/config/index.js';
import { inTransaction, isDuplicateKey } from '../../../platform/database/index.js';
import { type Account, AuditLog, createdBy } from '../../accounts/index.js';
import { assertWithin } from '../../quotas/index.js';
import type { RegisteredSender, SenderContent } from '../domain/sender-id.js';
import { SenderIdEntity } from '../persistence/sender-id.entity.js';
import { SenderIdStore } from '../persistence/sender-id-store.js';
import { senderIdErrors } from '../sender-ids.errors.js';

/**
 * Asks staff for a sender id. A rejected one may be asked for again and stays the same row, under a revision of its own.
 * @throws AppError conflict `sender_id is already registered`; invalid `At most <SENDER_IDS_PER_ACCOUNT> sender ids are allowed`
 */
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
