import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { now } from '../../../kernel/clock.js';
import { inTransaction } from '../../../platform/database/index.js';
import { assertOwner } from '../domain/account-policy.js';
import type { Account, NumberCheckMode } from '../domain/account.js';
import { assertOwnSetting } from '../domain/staff-settings.js';
import { AccountDirectory } from '../persistence/account-directory.js';
import { AccountStore } from '../persistence/account-store.js';
import { AccountEntity } from '../persistence/account.entity.js';
import { AuditLog } from '../persistence/audit-log.js';

/**
 * Choose what becomes of numbers that no numbering plan has (reference/numbers#checks).
 * @throws AppError 403 `Permission denied` for a person who acts for the account, `number_check was set by staff`
 */
export class SetNumberCheckCommand extends Command<void> {
  constructor(
    readonly actor: Account,
    readonly numberCheck: NumberCheckMode,
  ) {
    super();
  }
}

@CommandHandler(SetNumberCheckCommand)
export class SetNumberCheckHandler implements ICommandHandler<SetNumberCheckCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly directory: AccountDirectory,
    private readonly store: AccountStore,
    private readonly audit: AuditLog,
  ) {}

  async execute({ actor, numberCheck }: SetNumberCheckCommand): Promise<void> {
    assertOwner(actor);
    await inTransaction(this.dataSource, async (tx) => {
      const row = await this.store.lockById(tx, actor.id);
      if (row) assertOwnSetting(row, 'number_check');
      await tx.update(AccountEntity, { id: actor.id }, { numberCheck, updatedAt: now() });
      const details = { number_check: numberCheck };
      await this.audit.record(tx, { actor, action: 'account.change', subject: actor.username, details });
    });
    this.directory.forget(actor.id);
  }
}
