import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { inTransaction } from '../../../platform/database/index.js';
import { type Account, AuditLog } from '../../accounts/index.js';
import { ListStore } from '../persistence/list-store.js';
import { listErrors } from '../recipient-lists.errors.js';

/** It is gone at once, frozen or not: campaigns keep their own recipients. @throws AppError not_found */
export class RemoveListCommand extends Command<void> {
  constructor(
    readonly actor: Account,
    readonly id: number,
  ) {
    super();
  }
}

@CommandHandler(RemoveListCommand)
export class RemoveListHandler implements ICommandHandler<RemoveListCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly lists: ListStore,
    private readonly audit: AuditLog,
  ) {}

  execute({ actor, id }: RemoveListCommand): Promise<void> {
    return inTransaction(this.dataSource, async (tx) => {
      if (!(await this.lists.remove(tx, actor.id, id))) throw listErrors.notFound();
      await this.audit.record(tx, { actor, action: 'list.remove', subject: actor.username, details: { id } });
    });
  }
}
