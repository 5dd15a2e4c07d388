import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { inTransaction } from '../../../platform/database/index.js';
import { type Account, AuditLog } from '../../accounts/index.js';
import { ProfileRequestStore } from '../persistence/profile-request-store.js';
import { profileErrors } from '../profile-requests.errors.js';

/**
 * The owner takes a pending request back.
 * @throws AppError not_found; invalid `Can only delete pending profile requests`
 */
export class RemoveProfileRequestCommand extends Command<void> {
  constructor(
    readonly actor: Account,
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
    private readonly audit: AuditLog,
  ) {}

  execute({ actor, requestId }: RemoveProfileRequestCommand): Promise<void> {
    return inTransaction(this.dataSource, async (tx) => {
      const request = await this.store.locked(tx, requestId);
      if (request?.accountId !== actor.id) throw profileErrors.notFound();
      if (request.status !== 'pending') throw profileErrors.notDeletable();
      await this.store.remove(tx, requestId);
      const details = { verified_name: request.verifiedName };
      await this.audit.record(tx, { actor, action: 'profile_request.remove', subject: String(requestId), details });
    });
  }
}
