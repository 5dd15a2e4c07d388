import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { inTransaction } from '../../../platform/database/index.js';
import { type Account, AuditLog } from '../../accounts/index.js';
import { ListMembers } from '../persistence/list-members.js';
import { listErrors } from '../recipient-lists.errors.js';

/** @throws AppError not_found `List not found`, `Member not found`; conflict `List is frozen` */
export class RemoveMemberCommand extends Command<void> {
  /** @param number digits */
  constructor(
    readonly actor: Account,
    readonly listId: number,
    readonly number: string,
  ) {
    super();
  }
}

@CommandHandler(RemoveMemberCommand)
export class RemoveMemberHandler implements ICommandHandler<RemoveMemberCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly members: ListMembers,
    private readonly audit: AuditLog,
  ) {}

  execute({ actor, listId, number }: RemoveMemberCommand): Promise<void> {
    const list = { accountId: actor.id, id: listId };
    return inTransaction(this.dataSource, async (tx) => {
      if (!(await this.members.remove(tx, list, number))) throw listErrors.memberNotFound();
      const details = { id: listId, removed: 1 };
      await this.audit.record(tx, { actor, action: 'list.remove_member', subject: actor.username, details });
    });
  }
}
