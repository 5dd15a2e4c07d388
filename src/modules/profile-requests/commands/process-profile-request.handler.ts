import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { assertSeen } from '../../../kernel/revision.js';
import { inTransaction } from '../../../platform/database/index.js';
import { AuditLog } from '../../accounts/index.js';
import { isVerdict, mayProcess } from '../domain/profile-request.js';
import { ProfileRequestStore } from '../persistence/profile-request-store.js';
import { profileErrors } from '../profile-requests.errors.js';
import { ProcessProfileRequestCommand } from './process-profile-request.command.js';

@CommandHandler(ProcessProfileRequestCommand)
export class ProcessProfileRequestHandler implements ICommandHandler<ProcessProfileRequestCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly store: ProfileRequestStore,
    private readonly audit: AuditLog,
  ) {}

  execute({ actor, requestId, status, revision }: ProcessProfileRequestCommand): Promise<void> {
    return inTransaction(this.dataSource, async (tx) => {
      const request = await this.store.locked(tx, requestId);
      if (!request) throw profileErrors.notFound();
      if (!mayProcess(request.status, status)) throw profileErrors.wrongState(request.status);
      if (revision !== null || isVerdict(status)) assertSeen(request.revision, revision);
      await this.store.process(tx, request, status);
      const { verifiedName: verified_name, status: from } = request;
      const details = { verified_name, from, to: status, revision: request.revision };
      await this.audit.record(tx, {
        actor,
        action: 'profile_request.process',
        subject: String(requestId),
        details,
      });
    });
  }
}
