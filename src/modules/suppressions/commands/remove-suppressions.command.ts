import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { inTransaction } from '../../../platform/database/index.js';
import { type Account, AuditLog } from '../../accounts/index.js';
import { SuppressionStore } from '../persistence/suppression-store.js';
import { suppressionErrors } from '../suppressions.errors.js';

/**
 * Takes numbers off an account's stop list, wherever they came from. Answers how many stood there.
 * @throws AppError not_found when none of them did
 */
export class RemoveSuppressionsCommand extends Command<number> {
  /** @param by who acts, and whose list it is, for the logs */
  constructor(
    readonly accountId: number,
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

  async execute({ accountId, numbers, by }: RemoveSuppressionsCommand): Promise<number> {
    return inTransaction(this.dataSource, async (tx) => {
      const removed = await this.store.remove(tx, accountId, numbers);
      if (removed === 0) throw suppressionErrors.notFound();
      const entry = { action: 'suppression.remove', details: { numbers: numbers.length, removed } };
      await this.audit.record(tx, { ...entry, actor: by.actor, subject: by.username, accountId });
      return removed;
    });
  }
}
