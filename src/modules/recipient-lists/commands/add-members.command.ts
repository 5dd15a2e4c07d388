import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { inTransaction } from '../../../platform/database/index.js';
import { type Account, AuditLog } from '../../accounts/index.js';
import type { KeptRecipient } from '../domain/recipient.js';
import { type AddedMembers, ListMembers } from '../persistence/list-members.js';

/** Adds recipients to a list, all or none. @throws AppError as `ListMembers.add` */
export class AddMembersCommand extends Command<AddedMembers> {
  constructor(
    readonly actor: Account,
    readonly listId: number,
    readonly recipients: readonly KeptRecipient[],
  ) {
    super();
  }
}

@CommandHandler(AddMembersCommand)
export class AddMembersHandler implements ICommandHandler<AddMembersCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly members: ListMembers,
    private readonly audit: AuditLog,
  ) {}

  execute({ actor, listId, recipients }: AddMembersCommand): Promise<AddedMembers> {
    const list = { accountId: actor.id, id: listId };
    return inTransaction(this.dataSource, async (tx) => {
      const done = await this.members.add(tx, list, recipients);
      const details = { id: listId, added: done.added, duplicates: done.duplicates.length };
      await this.audit.record(tx, { actor, action: 'list.add_members', subject: actor.username, details });
      return done;
    });
  }
}
