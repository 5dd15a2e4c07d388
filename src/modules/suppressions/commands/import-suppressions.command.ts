import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { inTransaction } from '../../../platform/database/index.js';
import { type Account, AuditLog } from '../../accounts/index.js';
import { CsvNumbers } from '../domain/csv-numbers.js';
import type { ImportData } from '../http/suppression.dto.js';
import { SuppressionStore } from '../persistence/suppression-store.js';
import { suppressionErrors } from '../suppressions.errors.js';

/**
 * Puts the numbers of a CSV file on an account's stop list while the file comes in, a few thousand at a time: what was
 * read before a fault stays.
 * @throws AppError too_large beyond 32 MB, invalid `At most <SUPPRESSIONS_PER_ACCOUNT> suppressions are allowed`, and whatever the source of the bytes throws
 */
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
      return await this.take(actor.id, bytes, done);
    } finally {
      // What was added before a fault stays, and is told too.
      const entry = { actor, action: 'suppression.import', subject: actor.username, details: done };
      await inTransaction(this.dataSource, (tx) => this.audit.record(tx, entry));
    }
  }

  private async take(
    accountId: number,
    bytes: AsyncIterable<Uint8Array>,
    done: { added: number },
  ): Promise<ImportData> {
    const csv = new CsvNumbers();
    const decoder = new TextDecoder();
    let size = 0;
    let waiting: string[] = [];
    const write = async (): Promise<void> => {
      const numbers = waiting;
      waiting = [];
      done.added += await inTransaction(this.dataSource, (tx) => this.store.add(tx, accountId, numbers, 'import'));
    };
    for await (const chunk of bytes) {
      size += chunk.byteLength;
      if (size > MOST_BYTES) throw suppressionErrors.fileTooLarge();
      csv.push(decoder.decode(chunk, { stream: true }));
      waiting = waiting.concat(csv.take());
      if (waiting.length >= NUMBERS_A_WRITE) await write();
    }
    csv.push(decoder.decode());
    csv.end();
    waiting = waiting.concat(csv.take());
    if (waiting.length > 0) await write();
    const { lines, invalid, faults } = csv;
    const { added } = done;
    return { lines, added, already: lines - invalid - added, invalid_count: invalid, invalid: faults };
  }
}
