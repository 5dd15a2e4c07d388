import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { inTransaction } from '../../../platform/database/index.js';
import { type Account, AuditLog } from '../../accounts/index.js';
import { SuppressionStore } from '../persistence/suppression-store.js';

/** Puts numbers on an account's stop list, all or none. Those that stand there stay as they are; too many are refused (400). */
export class AddSuppressionsCommand extends Command<{ added: number; already: number }> {
  /**
   * @param numbers digits, each once
   * @param by who acts, and whose list it is, for the logs
   */
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
