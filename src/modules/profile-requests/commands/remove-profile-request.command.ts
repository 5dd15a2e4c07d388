import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { inTransaction } from '../../../platform/database/index.js';
import { ProfileRequestStore } from '../persistence/profile-request-store.js';
import { profileErrors } from '../profile-requests.errors.js';

/**
 * The owner takes a pending request back.
 * @throws AppError not_found; invalid `Can only delete pending profile requests`
 */
export class RemoveProfileRequestCommand extends Command<void> {
  constructor(
    readonly accountId: number,
    readonly requestId: number,
  ) {
    super();
  }
}

@CommandHandler(RemoveProfileRequestCommand)
export class RemoveProfileRequestHandler implements ICommandHandler<RemoveProfileRequestCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly store: ProfileRequestStore,
  ) {}

  execute({ accountId, requestId }: RemoveProfileRequestCommand): Promise<void> {
    return inTransaction(this.dataSource, async (tx) => {
      const request = await this.store.locked(tx, requestId);
      if (request?.accountId !== accountId) throw profileErrors.notFound();
      if (request.status !== 'pending') throw profileErrors.notDeletable();
      await this.store.remove(tx, requestId);
    });
  }
}
