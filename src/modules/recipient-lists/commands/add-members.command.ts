import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { inTransaction } from '../../../platform/database/index.js';
import type { Account } from '../../accounts/index.js';
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
  ) {}

  execute({ actor, listId, recipients }: AddMembersCommand): Promise<AddedMembers> {
    const list = { accountId: actor.id, id: listId };
    return inTransaction(this.dataSource, (tx) => this.members.add(tx, list, recipients));
  }
}
