import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { BalanceAlerts, type BalanceThresholds } from '../persistence/balance-alerts.js';

/** Below which balances the account is told (reference/credits#alerts). */
export class SetBalanceAlertsCommand extends Command<void> {
  constructor(
    readonly accountId: number,
    readonly thresholds: BalanceThresholds,
  ) {
    super();
  }
}

@CommandHandler(SetBalanceAlertsCommand)
export class SetBalanceAlertsHandler implements ICommandHandler<SetBalanceAlertsCommand> {
  constructor(private readonly alerts: BalanceAlerts) {}

  execute({ accountId, thresholds }: SetBalanceAlertsCommand): Promise<void> {
    return this.alerts.set(accountId, thresholds);
  }
}
