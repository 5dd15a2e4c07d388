import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { inTransaction } from '../../../platform/database/index.js';
import { type Account, AuditLog } from '../../accounts/index.js';
import { ListStore } from '../persistence/list-store.js';
import { listErrors } from '../recipient-lists.errors.js';

/** A frozen list may be renamed: its members stay what they are. @throws AppError not_found */
export class RenameListCommand extends Command<void> {
  constructor(
    readonly actor: Account,
    readonly id: number,
    readonly name: string,
  ) {
    super();
  }
}

@CommandHandler(RenameListCommand)
export class RenameListHandler implements ICommandHandler<RenameListCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly lists: ListStore,
    private readonly audit: AuditLog,
  ) {}

  execute({ actor, id, name }: RenameListCommand): Promise<void> {
    return inTransaction(this.dataSource, async (tx) => {
      if (!(await this.lists.rename(tx, actor.id, id, name))) throw listErrors.notFound();
      await this.audit.record(tx, { actor, action: 'list.rename', subject: actor.username, details: { id, name } });
    });
  }
}
