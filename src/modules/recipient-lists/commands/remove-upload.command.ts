import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { inTransaction } from '../../../platform/database/index.js';
import { type Account, AuditLog } from '../../accounts/index.js';
import { UploadStore } from '../persistence/upload-store.js';
import { uploadErrors } from '../recipient-lists.errors.js';

/** It is gone at once; a send that reads it at this moment reads it to its end. @throws AppError not_found */
export class RemoveUploadCommand extends Command<void> {
  constructor(
    readonly actor: Account,
    readonly id: number,
  ) {
    super();
  }
}

@CommandHandler(RemoveUploadCommand)
export class RemoveUploadHandler implements ICommandHandler<RemoveUploadCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly uploads: UploadStore,
    private readonly audit: AuditLog,
  ) {}

  execute({ actor, id }: RemoveUploadCommand): Promise<void> {
    return inTransaction(this.dataSource, async (tx) => {
      if (!(await this.uploads.remove(tx, actor.id, id))) throw uploadErrors.notFound();
      await this.audit.record(tx, { actor, action: 'upload.remove', subject: actor.username, details: { id } });
    });
  }
}
