import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { inTransaction } from '../../../platform/database/index.js';
import { AuditLog } from '../../accounts/index.js';
import { mayProcess } from '../domain/profile-request.js';
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

  execute({ actor, requestId, status }: ProcessProfileRequestCommand): Promise<void> {
    return inTransaction(this.dataSource, async (tx) => {
      const request = await this.store.locked(tx, requestId);
      if (!request) throw profileErrors.notFound();
      if (!mayProcess(request.status, status)) throw profileErrors.wrongState(request.status);
      await this.store.process(tx, requestId, status);
      const details = { verified_name: request.verifiedName, from: request.status, to: status };
      await this.audit.record(tx, {
        actor,
        action: 'profile_request.process',
        subject: String(requestId),
        details,
      });
    });
  }
}
