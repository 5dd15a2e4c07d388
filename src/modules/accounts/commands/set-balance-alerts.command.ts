import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { inTransaction } from '../../../platform/database/index.js';
import { BalanceAlerts, type BalanceThresholds } from '../../credits/index.js';
import type { Account } from '../domain/account.js';
import { AuditLog } from '../persistence/audit-log.js';

/** Below which balances the account is told (reference/credits#alerts). */
export class SetBalanceAlertsCommand extends Command<void> {
  constructor(
    readonly actor: Account,
    readonly thresholds: BalanceThresholds,
  ) {
    super();
  }
}

@CommandHandler(SetBalanceAlertsCommand)
export class SetBalanceAlertsHandler implements ICommandHandler<SetBalanceAlertsCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly alerts: BalanceAlerts,
    private readonly audit: AuditLog,
  ) {}

  execute({ actor, thresholds }: SetBalanceAlertsCommand): Promise<void> {
    return inTransaction(this.dataSource, async (tx) => {
      await this.alerts.set(tx, actor.id, thresholds);
      const entry = { actor, action: 'balance_alerts.set', subject: actor.username, details: { ...thresholds } };
      await this.audit.record(tx, entry);
    });
  }
}
