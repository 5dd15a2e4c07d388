import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { inTransaction } from '../../../platform/database/index.js';
import { toAssignedUser } from '../access/users.store.js';
import { accountErrors } from '../domain/account.errors.js';
import type { Account } from '../domain/account.js';
import { AuditLog } from '../logs/logs.store.js';
import { ManagedAccounts } from '../managed-accounts.store.js';
import { AssignedUserEntity } from '../tables.js';
import { FactorChanges } from './factor-changes.js';

/**
 * Removes the second factors of a managed account's own login, or of one person under it (`userId`), who lost them, and signs it
 * out everywhere. @throws AppError as `ManagedAccounts.changeable`; 404
 */
export class ResetSecondFactorCommand extends Command<void> {
  constructor(
    readonly actor: Account,
    readonly username: string,
    readonly userId: number | null,
  ) {
    super();
  }
}

@CommandHandler(ResetSecondFactorCommand)
export class ResetSecondFactorHandler implements ICommandHandler<ResetSecondFactorCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly managed: ManagedAccounts,
    private readonly changes: FactorChanges,
    private readonly audit: AuditLog,
  ) {}

  async execute({ actor, username, userId }: ResetSecondFactorCommand): Promise<void> {
    const login = await inTransaction(this.dataSource, async (tx) => {
      const owner = await this.managed.changeable(actor, username, tx);
      const row = userId === null ? null : await tx.findOneBy(AssignedUserEntity, { id: userId, accountId: owner.id });
      if (userId !== null && !row) throw accountErrors.userNotFound();
      const concerned = row ? { ...owner, assignedUser: toAssignedUser(row) } : owner;
      await this.changes.reset(tx, concerned);
      const entry = { actor, action: 'second_factor.reset', subject: username, accountId: owner.id };
      await this.audit.record(tx, { ...entry, details: { user_id: userId } });
      return concerned;
    });
    await this.changes.notify(login, 'removed by staff');
  }
}
