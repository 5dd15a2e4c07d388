import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { inTransaction } from '../../../platform/database/index.js';
import { SuppressionStore } from '../persistence/suppression-store.js';
import { suppressionErrors } from '../suppressions.errors.js';
import { RemoveSuppressions } from './remove-suppressions.command.js';

@CommandHandler(RemoveSuppressions)
export class RemoveSuppressionsHandler implements ICommandHandler<RemoveSuppressions> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly store: SuppressionStore,
  ) {}

  async execute({ accountId, numbers }: RemoveSuppressions): Promise<number> {
    const removed = await inTransaction(this.dataSource, (tx) => this.store.remove(tx, accountId, numbers));
    if (removed === 0) throw suppressionErrors.notFound();
    return removed;
  }
}
