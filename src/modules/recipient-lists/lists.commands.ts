import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { inTransaction } from '../../platform/database/index.js';
import { type Account, AuditLog, createdBy } from '../accounts/index.js';
import { ListStore } from './lists.store.js';
import { ListCopies } from './members.store.js';
import { listErrors } from './recipient-lists.errors.js';

/** Creates a list, or copies one. Returns its id. @throws AppError invalid beyond the limit, too_many, not_found, conflict */
export class CreateListCommand extends Command<number> {
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

/** Renames a list, even a frozen one. @throws AppError not_found */
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

/** Removes a list, even a frozen one: campaigns keep their own recipients. @throws AppError not_found */
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
