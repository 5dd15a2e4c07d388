import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { inTransaction } from '../../../platform/database/index.js';
import { SenderIdStore } from '../persistence/sender-id-store.js';
import { senderIdErrors } from '../sender-ids.errors.js';

/**
 * The owner gives a sender id up, whatever its status. Campaigns that were accepted under it keep it.
 * @throws AppError not_found
 */
export class RemoveSenderIdCommand extends Command<void> {
  constructor(
    readonly accountId: number,
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
  ) {}

  execute({ accountId, id }: RemoveSenderIdCommand): Promise<void> {
    return inTransaction(this.dataSource, async (tx) => {
      const sender = await this.store.locked(tx, { id });
      if (sender?.accountId !== accountId) throw senderIdErrors.notFound();
      await this.store.remove(tx, id);
    });
  }
}
