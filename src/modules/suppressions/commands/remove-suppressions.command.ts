import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { inTransaction } from '../../../platform/database/index.js';
import { SuppressionStore } from '../persistence/suppression-store.js';
import { suppressionErrors } from '../suppressions.errors.js';

/**
 * Takes numbers off an account's stop list, wherever they came from. Answers how many stood there.
 * @throws AppError not_found when none of them did
 */
export class RemoveSuppressionsCommand extends Command<number> {
  constructor(
    readonly accountId: number,
    readonly numbers: readonly string[],
  ) {
    super();
  }
}

@CommandHandler(RemoveSuppressionsCommand)
export class RemoveSuppressionsHandler implements ICommandHandler<RemoveSuppressionsCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly store: SuppressionStore,
  ) {}

  async execute({ accountId, numbers }: RemoveSuppressionsCommand): Promise<number> {
    const removed = await inTransaction(this.dataSource, (tx) => this.store.remove(tx, accountId, numbers));
    if (removed === 0) throw suppressionErrors.notFound();
    return removed;
  }
}
