import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { ENVIRONMENT, type Environment } from '../../../platform/config/index.js';
import { inTransaction, isDuplicateKey } from '../../../platform/database/index.js';
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
    readonly accountId: number,
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
  ) {}

  async execute({ accountId, content }: RegisterSenderIdCommand): Promise<RegisteredSender> {
    try {
      return await inTransaction(this.dataSource, (tx) => this.register(tx, accountId, content));
    } catch (error) {
      if (isDuplicateKey(error)) throw senderIdErrors.taken();
      throw error;
    }
  }

  private async register(tx: EntityManager, accountId: number, content: SenderContent): Promise<RegisteredSender> {
    const { channel, senderId } = content;
    const known = await this.store.locked(tx, { accountId, channel, senderId });
    if (known && known.status !== 'rejected') throw senderIdErrors.taken();
    if (known) return this.store.renew(tx, known, content);
    const sender = await this.store.create(tx, accountId, content);
    const quota = { accountId, kind: 'sender_ids', most: this.environment.SENDER_IDS_PER_ACCOUNT } as const;
    await assertWithin(tx, quota, SenderIdEntity, senderIdErrors.tooMany);
    return sender;
  }
}
