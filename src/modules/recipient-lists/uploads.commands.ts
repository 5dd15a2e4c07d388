import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { type Environment, ENVIRONMENT } from '../../platform/config/index.js';
import { inTransaction } from '../../platform/database/index.js';
import { type Account, AuditLog, createdBy } from '../accounts/index.js';
import { readerOf } from '../numbers/index.js';
import { RecipientFile } from './recipient-file.js';
import type { UploadFacts } from './domain/list-form.js';
import { uploadErrors } from './recipient-lists.errors.js';
import { type UploadDraft, UploadStore, UploadWriter } from './uploads.store.js';

/** Stores a file's recipients, all or none, as a stream. Returns the upload's id. @throws AppError one of `uploadErrors` */
export class TakeUploadCommand extends Command<number> {
  constructor(
    readonly actor: Account,
    readonly bytes: AsyncIterable<Uint8Array>,
    readonly numberColumn: string | null,
    /** known when the bytes begin; null = the client names none */
    readonly fileName: () => string | null,
  ) {
    super();
  }
}

@CommandHandler(TakeUploadCommand)
export class TakeUploadHandler implements ICommandHandler<TakeUploadCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly writer: UploadWriter,
    private readonly audit: AuditLog,
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'UPLOAD_LIMIT'>,
  ) {}

  async execute({ actor, bytes, numberColumn, fileName }: TakeUploadCommand): Promise<number> {
    const draft = await this.writer.begin(actor.id, createdBy(actor));
    let isKept = false;
    try {
      const file = new RecipientFile(bytes, {
        mostBytes: this.environment.UPLOAD_LIMIT,
        numberColumn,
        readNumber: readerOf(actor),
      });
      await this.write(draft, file);
      const facts = { fileName: fileName(), ...file.facts, ...(await this.writer.duplicates(draft)) };
      draft.lease.end();
      await this.keep(actor, draft, facts);
      isKept = true;
      return draft.id;
    } finally {
      draft.lease.end();
      if (!isKept) await this.writer.abandon(draft);
    }
  }

  /** Writes one part while it reads the next. */
  private async write(draft: UploadDraft, file: RecipientFile): Promise<void> {
    let written = Promise.resolve();
    try {
      for await (const batch of file.batches()) {
        await written;
        written = this.writer.append(draft, batch);
        written.catch(() => undefined); // awaited below
      }
    } finally {
      await written;
    }
  }

  private keep(actor: Account, draft: UploadDraft, facts: UploadFacts): Promise<void> {
    return inTransaction(this.dataSource, async (tx) => {
      await this.writer.finish(tx, draft, facts);
      const details = { id: draft.id, rows: draft.rows };
      await this.audit.record(tx, { actor, action: 'upload.create', subject: actor.username, details });
    });
  }
}

/** Removes an upload; a send that is reading it still reads it to its end. @throws AppError not_found */
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
