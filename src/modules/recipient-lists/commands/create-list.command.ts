import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { inTransaction } from '../../../platform/database/index.js';
import { type Account, AuditLog, createdBy } from '../../accounts/index.js';
import { ListCopies } from '../persistence/list-copies.js';
import { ListStore } from '../persistence/list-store.js';

/**
 * A new list, empty or with the members of another, frozen or not. Answers its id.
 * @throws AppError invalid `At most 1000 lists are allowed`; of a copy too_many, not_found, conflict `List is being changed`
 */
export class CreateListCommand extends Command<number> {
  /** @param fromId the list that is copied; null = none */
  constructor(
    readonly actor: Account,
    readonly name: string,
    readonly fromId: number | null,
  ) {
    super();
  }
}

@CommandHandler(CreateListCommand)
export class CreateListHandler implements ICommandHandler<CreateListCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly lists: ListStore,
    private readonly copies: ListCopies,
    private readonly audit: AuditLog,
  ) {}

  execute({ actor, name, fromId }: CreateListCommand): Promise<number> {
    const list = { name, createdBy: createdBy(actor) };
    const record = (tx: EntityManager, id: number): Promise<void> => {
      const details = { id, name, ...(fromId !== null && { from_list_id: fromId }) };
      return this.audit.record(tx, { actor, action: 'list.create', subject: actor.username, details });
    };
    if (fromId !== null) return this.copies.copy({ accountId: actor.id, id: fromId }, list, record);
    return inTransaction(this.dataSource, async (tx) => {
      const id = await this.lists.create(tx, actor.id, list);
      await record(tx, id);
      return id;
    });
  }
}
