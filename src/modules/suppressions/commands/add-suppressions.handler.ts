import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { inTransaction } from '../../../platform/database/index.js';
import { SuppressionStore } from '../persistence/suppression-store.js';
import { AddSuppressions } from './add-suppressions.command.js';

@CommandHandler(AddSuppressions)
export class AddSuppressionsHandler implements ICommandHandler<AddSuppressions> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly store: SuppressionStore,
  ) {}

  async execute({ accountId, numbers }: AddSuppressions): Promise<{ added: number; already: number }> {
    const added = await inTransaction(this.dataSource, (tx) => this.store.add(tx, accountId, numbers, 'api'));
    return { added, already: numbers.length - added };
  }
}
