import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { isNumbersName } from '../../kernel/contacts.js';
import { inTransaction } from '../../platform/database/index.js';
import { FILE_FAULTS, FileRows } from '../../platform/spreadsheets/index.js';
import { type Account, AuditLog } from '../accounts/index.js';
import { keptSpellings, readerOf } from '../numbers/index.js';
import { FileNumbers } from './suppression.js';
import type { ImportData } from './suppressions.dto.js';
import { suppressionErrors } from './suppressions.errors.js';
import { SuppressionStore } from './suppressions.store.js';

/** Adds numbers to an account's stop list, all or none; existing entries stay. @throws AppError invalid over the limit */
export class AddSuppressionsCommand extends Command<{ added: number; already: number }> {
  constructor(
    readonly accountId: number,
    readonly numbers: readonly string[],
    readonly by: { actor: Account; username: string },
  ) {
    super();
  }
}

@CommandHandler(AddSuppressionsCommand)
export class AddSuppressionsHandler implements ICommandHandler<AddSuppressionsCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly store: SuppressionStore,
    private readonly audit: AuditLog,
  ) {}

  async execute({ accountId, numbers, by }: AddSuppressionsCommand): Promise<{ added: number; already: number }> {
    const added = await inTransaction(this.dataSource, async (tx) => {
      const count = await this.store.add(tx, accountId, numbers, 'api');
      const entry = { action: 'suppression.add', details: { numbers: numbers.length, added: count } };
      await this.audit.record(tx, { ...entry, actor: by.actor, subject: by.username, accountId });
      return count;
    });
    return { added, already: numbers.length - added };
  }
}

/** Adds a file's numbers as a stream; those added before a fault stay. @throws AppError too_large over 32 MB, or of a file */
export class ImportSuppressionsCommand extends Command<ImportData> {
  constructor(
    readonly actor: Account,
    readonly bytes: AsyncIterable<Uint8Array>,
  ) {
    super();
  }
}

const MOST_BYTES = 32 * 1024 * 1024;
const NUMBERS_A_WRITE = 5_000;

@CommandHandler(ImportSuppressionsCommand)
export class ImportSuppressionsHandler implements ICommandHandler<ImportSuppressionsCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly store: SuppressionStore,
    private readonly audit: AuditLog,
  ) {}

  async execute({ actor, bytes }: ImportSuppressionsCommand): Promise<ImportData> {
    const done = { added: 0 };
    try {
      return await this.take(actor, bytes, done);
    } finally {
      // The audit log also records what was added before a fault.
      const entry = { actor, action: 'suppression.import', subject: actor.username, details: done };
      await inTransaction(this.dataSource, (tx) => this.audit.record(tx, entry));
    }
  }

  private async take(actor: Account, bytes: AsyncIterable<Uint8Array>, done: { added: number }): Promise<ImportData> {
    const accountId = actor.id;
    const numbers = new FileNumbers(readerOf(actor));
    const faults = { ...FILE_FAULTS, tooLarge: () => suppressionErrors.fileTooLarge() };
    const file = new FileRows(bytes, { mostBytes: MOST_BYTES, isKnown: isNumbersName, faults, table: null });
    let waiting: string[] = [];
    const write = async (): Promise<void> => {
      const taken = waiting;
      waiting = [];
      done.added += await inTransaction(this.dataSource, (tx) => this.store.add(tx, accountId, taken, 'import'));
    };
    try {
      for await (const cells of file.read()) {
        const number = numbers.take(cells);
        if (number !== null) waiting.push(number);
        if (waiting.length >= NUMBERS_A_WRITE) await write();
      }
    } finally {
      if (waiting.length > 0) await write();
    }
    const { lines, invalid, faults: shown } = numbers;
    const { added } = done;
    return { lines, added, already: lines - invalid - added, invalid_count: invalid, invalid: shown };
  }
}

/** Removes numbers, in all their spellings, from an account's stop list. Returns how many entries. @throws AppError not_found */
export class RemoveSuppressionsCommand extends Command<number> {
  constructor(
    readonly owner: Pick<Account, 'id' | 'country'>,
    readonly numbers: readonly string[],
    readonly by: { actor: Account; username: string },
  ) {
    super();
  }
}

@CommandHandler(RemoveSuppressionsCommand)
export class RemoveSuppressionsHandler implements ICommandHandler<RemoveSuppressionsCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly store: SuppressionStore,
    private readonly audit: AuditLog,
  ) {}

  async execute({ owner, numbers, by }: RemoveSuppressionsCommand): Promise<number> {
    const spellings = numbers.flatMap((number) => keptSpellings(number, owner));
    return inTransaction(this.dataSource, async (tx) => {
      const removed = await this.store.remove(tx, owner.id, spellings);
      if (removed === 0) throw suppressionErrors.notFound();
      const entry = { action: 'suppression.remove', details: { numbers: numbers.length, removed } };
      await this.audit.record(tx, { ...entry, actor: by.actor, subject: by.username, accountId: owner.id });
      return removed;
    });
  }
}
