import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { inTransaction } from '../../../platform/database/index.js';
import { type Account, AuditLog } from '../../accounts/index.js';
import { type RawProfile, readProfileChanges } from '../domain/profile-request.js';
import { isAlreadyPending, ProfileRequestStore } from '../persistence/profile-request-store.js';
import { profileErrors, profileFaults } from '../profile-requests.errors.js';

/**
 * The owner changes a pending request; only supplied fields change.
 * @throws AppError not_found, invalid `Can only update pending profile requests`, then the fields' own rows; conflict when
 *   it would equal another pending request
 */
export class ChangeProfileRequestCommand extends Command<void> {
  constructor(
    readonly actor: Account,
    readonly requestId: number,
    readonly changes: RawProfile,
  ) {
    super();
  }
}

@CommandHandler(ChangeProfileRequestCommand)
export class ChangeProfileRequestHandler implements ICommandHandler<ChangeProfileRequestCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly store: ProfileRequestStore,
    private readonly audit: AuditLog,
  ) {}

  execute({ actor, requestId, changes }: ChangeProfileRequestCommand): Promise<void> {
    return inTransaction(this.dataSource, async (tx) => {
      const request = await this.store.locked(tx, requestId);
      if (request?.accountId !== actor.id) throw profileErrors.notFound();
      if (request.status !== 'pending') throw profileErrors.notUpdatable();
      const read = readProfileChanges(changes);
      if ('fault' in read) throw profileFaults[read.fault]();
      const content = { ...request, ...read.changes };
      await this.store.change(tx, request, content).catch((error: unknown) => {
        throw isAlreadyPending(error) ? profileErrors.equalsAnother(content.channel) : error;
      });
      const details = { fields: Object.keys(read.changes) };
      await this.audit.record(tx, { actor, action: 'profile_request.change', subject: String(requestId), details });
    });
  }
}
