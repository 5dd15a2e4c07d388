import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { inTransaction } from '../../../platform/database/index.js';
import { SuppressionStore } from '../persistence/suppression-store.js';

/** Puts numbers on an account's stop list, all or none. Those that stand there stay as they are; too many are refused (400). */
export class AddSuppressionsCommand extends Command<{ added: number; already: number }> {
  /** @param numbers digits, each once */
  constructor(
    readonly accountId: number,
    readonly numbers: readonly string[],
  ) {
    super();
  }
}

@CommandHandler(AddSuppressionsCommand)
export class AddSuppressionsHandler implements ICommandHandler<AddSuppressionsCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly store: SuppressionStore,
  ) {}

  async execute({ accountId, numbers }: AddSuppressionsCommand): Promise<{ added: number; already: number }> {
    const added = await inTransaction(this.dataSource, (tx) => this.store.add(tx, accountId, numbers, 'api'));
    return { added, already: numbers.length - added };
  }
}
