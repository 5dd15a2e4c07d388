import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { inTransaction } from '../../platform/database/index.js';
import { type Account, AuditLog } from '../accounts/index.js';
import { MOST_DUPLICATES_SHOWN } from './domain/list-form.js';
import type { KeptRecipient } from './domain/recipient.js';
import { ListStore, type NamedList } from './lists.store.js';
import { type AddedMembers, ListMembers } from './members.store.js';
import { listErrors, uploadErrors } from './recipient-lists.errors.js';
import { UploadStore } from './uploads.store.js';

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

export interface Filled {
  added: number;
  duplicatesCount: number;
  duplicates: readonly string[];
}

/**
 * Adds an upload's rows, some thousand a commit; after a fault the added rows stay, and the same request adds the remaining
 * ones. Sends to the list wait meanwhile. @throws AppError as `ListMembers.add`, too_many
 */
export class FillListCommand extends Command<Filled> {
  constructor(
    readonly actor: Account,
    readonly listId: number,
    readonly uploadId: number,
  ) {
    super();
  }
}

@CommandHandler(FillListCommand)
export class FillListHandler implements ICommandHandler<FillListCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly lists: ListStore,
    private readonly members: ListMembers,
    private readonly uploads: UploadStore,
    private readonly audit: AuditLog,
  ) {}

  async execute({ actor, listId, uploadId }: FillListCommand): Promise<Filled> {
    const fence = await this.lists.beginFilling(actor.id, listId);
    try {
      return await this.fill(actor, { accountId: actor.id, id: listId }, fence, uploadId);
    } finally {
      await this.lists.endFilling(listId, fence);
    }
  }

  private async fill(actor: Account, list: NamedList, fence: number, uploadId: number): Promise<Filled> {
    const hold = await this.uploads.hold(list.accountId, uploadId);
    if (!hold) throw uploadErrors.notFound();
    let [added, duplicatesCount] = [0, 0];
    const duplicates: string[] = [];
    try {
      for (let after = 0; ;) {
        const rows = await this.uploads.rowsAfter(uploadId, after);
        if (!(await this.uploads.keep(hold))) throw uploadErrors.notFound();
        const last = rows.at(-1);
        if (!last) return { added, duplicatesCount, duplicates };
        after = last.seq;
        const part = await inTransaction(this.dataSource, (tx) => this.members.add(tx, list, rows, fence));
        added += part.added;
        duplicatesCount += part.duplicates.length;
        duplicates.push(...part.duplicates.slice(0, MOST_DUPLICATES_SHOWN - duplicates.length));
      }
    } finally {
      // The audit log also records what was added before a fault.
      const details = { id: list.id, upload_id: uploadId, added, duplicates: duplicatesCount };
      const entry = { actor, action: 'list.add_members', subject: actor.username, details };
      await inTransaction(this.dataSource, (tx) => this.audit.record(tx, entry));
    }
  }
}

/** @throws AppError not_found `List not found`, `Member not found`; conflict `List is frozen` */
export class RemoveMemberCommand extends Command<void> {
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
