import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { assertSeen } from '../../../kernel/revision.js';
import { inTransaction } from '../../../platform/database/index.js';
import { type Account, AuditLog } from '../../accounts/index.js';
import { type ProcessingStatus, isVerdict, mayProcess } from '../domain/profile-request.js';
import { ProfileRequestStore } from '../persistence/profile-request-store.js';
import { profileErrors } from '../profile-requests.errors.js';

/**
 * Staff take a request up, complete or reject it; kept in the audit log.
 * @throws AppError not_found; conflict `Profile request is already <state>`, `Changed since you looked`
 */
export class ProcessProfileRequestCommand extends Command<void> {
  /** @param revision what was looked at; null = not named, which a verdict on a changed request may not be */
  constructor(
    readonly actor: Account,
    readonly requestId: number,
    readonly status: ProcessingStatus,
    readonly revision: number | null,
    readonly reason: string | null,
  ) {
    super();
  }
}

@CommandHandler(ProcessProfileRequestCommand)
export class ProcessProfileRequestHandler implements ICommandHandler<ProcessProfileRequestCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly store: ProfileRequestStore,
    private readonly audit: AuditLog,
  ) {}

  execute({ actor, requestId, status, revision, reason }: ProcessProfileRequestCommand): Promise<void> {
    return inTransaction(this.dataSource, async (tx) => {
      const request = await this.store.locked(tx, requestId);
      if (!request) throw profileErrors.notFound();
      if (!mayProcess(request.status, status)) throw profileErrors.wrongState(request.status);
      if (revision !== null || isVerdict(status)) assertSeen(request.revision, revision);
      await this.store.process(tx, request, status, reason);
      const { verifiedName: verified_name, status: from } = request;
      const details = { verified_name, from, to: status, reason, revision: request.revision };
      await this.audit.record(tx, {
        actor,
        action: 'profile_request.process',
        subject: String(requestId),
        accountId: request.accountId,
        details,
      });
    });
  }
}
